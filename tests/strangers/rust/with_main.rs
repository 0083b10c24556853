#![allow(clippy::needless_return)]
//! A script: prints how many errors a log has.

use std::env;
use std::fs;
use std::process;

const WORD: &str = "ERROR";

fn is_error(line: &str) -> bool {
    line.contains(WORD)
}

fn count_errors(log_path: &str) -> Result<usize, std::io::Error> {
    let text = fs::read_to_string(log_path)?;
    return Ok(text.lines().filter(|line| is_error(line)).count());
}

fn main() {
    let args: Vec<String> = env::args().collect();
    if args.len() < 2 {
        eprintln!("usage: {} LOG", args[0]);
        process::exit(2);
    }
    match count_errors(&args[1]) {
        Ok(count) => println!("{count}"),
        Err(error) => {
            eprintln!("{error}");
            process::exit(1);
        }
    }
}
