use std::fs::File;
use std::io::{self, BufRead, BufReader, Lines};
use std::path::Path;

/// As many books have it.
pub fn read_lines<P>(filename: P) -> io::Result<Lines<BufReader<File>>>
where
    P: AsRef<Path>,
{
    Ok(BufReader::new(File::open(filename)?).lines())
}

pub fn collected(path: &str) -> io::Result<Vec<String>> {
    read_lines(path)?.collect()
}

pub fn errors(path: &str) -> io::Result<impl Iterator<Item = String>> {
    Ok(read_lines(path)?.map_while(Result::ok).filter(|line| line.contains("ERROR")))
}

pub fn split(path: &str) -> io::Result<Vec<Vec<u8>>> {
    BufReader::new(File::open(path)?).split(b'\n').collect()
}
