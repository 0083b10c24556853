use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// How many lines a file has.
pub fn count<P: AsRef<Path>>(path: P) -> io::Result<usize> {
    let reader = BufReader::new(File::open(path)?);
    let mut lines = 0;
    for line in reader.lines() {
        line?;
        lines += 1;
    }
    Ok(lines)
}
