use std::fs;
use std::io;
use std::path::Path;

/// Lines with an error.
pub fn count(path: &Path) -> io::Result<usize> {
    Ok(fs::read_to_string(path)?.lines().filter(|line| marked(line)).count())
}

fn marked(line: &str) -> bool {
    line.contains("ERROR")
}
