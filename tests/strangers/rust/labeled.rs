use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// What has a name for people.
pub trait Labeled {
    fn label(&self) -> String;
}

pub fn titled<R: Read + Labeled>(mut reader: R) -> io::Result<(String, usize)> {
    let mut text = String::new();
    reader.read_to_string(&mut text)?;
    Ok((reader.label(), text.len()))
}

pub fn errors(path: &Path) -> io::Result<usize> {
    Ok(fs::read_to_string(path)?.matches("ERROR").count())
}

pub mod blank {
    use std::path::Path;

    pub fn lines(path: &Path) -> std::io::Result<usize> {
        Ok(std::fs::read_to_string(path)?.lines().filter(|each| each.is_empty()).count())
    }
}
