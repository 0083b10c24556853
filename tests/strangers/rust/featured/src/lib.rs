#[cfg(feature = "bytes")]
mod bytes {
    use std::io;

    pub fn checksum(file: impl AsRef<std::path::Path>) -> io::Result<u32> {
        Ok(std::fs::read(file)?.iter().fold(1, |sum: u32, &byte| sum.rotate_left(5) ^ u32::from(byte)))
    }
}

#[cfg(feature = "bytes")]
pub use bytes::checksum;

#[cfg(feature = "text")]
pub fn characters(path: &str) -> std::io::Result<usize> {
    Ok(std::fs::read_to_string(path)?.chars().count())
}
