//! Counts lines.
use std::fs;
use std::io;
use std::path::Path;

pub fn count<P: AsRef<Path>>(path: P) -> io::Result<usize> {
    let data = fs::read(path)?;
    Ok(data.iter().filter(|&&byte| byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_and_count(text: &str) -> usize {
        let path = std::env::temp_dir().join("line-count-test");
        fs::write(&path, text).unwrap();
        count(&path).unwrap()
    }

    #[test]
    fn counts() {
        assert_eq!(write_and_count("a\nb\n"), 2);
    }
}
