pub mod reader {
    use std::fs::File;
    use std::io::{self, Read};

    pub mod slow {
        pub fn count(path: &str) -> usize {
            super::blocks(path, 16).unwrap_or_default()
        }
    }

    fn blocks(path: &str, size: usize) -> io::Result<usize> {
        let (mut file, mut block, mut lines) = (File::open(path)?, vec![0; size << 10], 0);
        loop {
            match file.read(&mut block)? {
                0 => return Ok(lines),
                count => lines += block[..count].iter().filter(|&&each| each == b'\n').count(),
            }
        }
    }
}
