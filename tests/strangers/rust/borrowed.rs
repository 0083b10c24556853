use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::vec;

pub struct Counter<'a> {
    path: &'a Path,
}

impl<'a> Counter<'a> {
    pub fn open<P: AsRef<Path>>(path: &'a P) -> Self {
        Counter { path: path.as_ref() }
    }

    pub fn count(&self) -> io::Result<usize> {
        Ok(fs::read(self.path)?.len())
    }
}

#[derive(Debug)]
pub struct Malformed(usize);

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "shown {}", self.0)
    }
}

pub fn items(path: &str) -> vec::IntoIter<Result<String, Malformed>> {
    vec![Err(Malformed(fs::read(path).map_or(0, |_| 1)))].into_iter()
}
