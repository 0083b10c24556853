use std::fs::File;
use std::io::{self, BufRead, BufReader};

include!(concat!(env!("OUT_DIR"), "/made.rs"));

fn count_errors(path: &str) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(BLOCK, File::open(path)?);
    let (mut line, mut errors) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        errors += usize::from(common::is_error(&line));
        line.clear();
    }
    Ok(errors)
}

fn main() -> io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "log".into());
    println!("{}", count_errors(&path)?);
    Ok(())
}
