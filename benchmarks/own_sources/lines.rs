use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

pub fn lines(path: &Path) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let mut block = vec![0; 65536];
    let mut count = 0;
    loop {
        match file.read(&mut block)? {
            0 => return Ok(count),
            got => count += block[..got].iter().filter(|&&byte| byte == b'\n').count(),
        }
    }
}
