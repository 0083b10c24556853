use std::fs::File;
use std::io::{BufReader, Read, Result};
use std::os::unix::fs::FileExt;

pub fn by_value(file: File) -> Result<u64> {
    let mut sum = 0;
    for byte in BufReader::new(file).bytes() {
        sum += u64::from(byte?);
    }
    Ok(sum)
}

pub fn by_reference(file: &File) -> Result<u64> {
    let mut block = vec![0; 1 << 16];
    let (mut at, mut sum) = (0, 0);
    loop {
        match file.read_at(&mut block, at)? {
            0 => return Ok(sum),
            count => {
                sum += block[..count].iter().map(|&byte| u64::from(byte)).sum::<u64>();
                at += count as u64;
            }
        }
    }
}

pub fn by_mutable_reference(f: &mut File) -> Result<u64> {
    let mut data = Vec::new();
    f.read_to_end(&mut data)?;
    Ok(data.iter().copied().map(u64::from).sum())
}

pub fn buffered(reader: &mut BufReader<File>) -> Result<u64> {
    let mut sum = 0;
    for byte in reader.bytes() {
        sum += u64::from(byte?);
    }
    Ok(sum)
}
