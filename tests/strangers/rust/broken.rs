use std::fs;

pub fn size(path: &str) -> std::io::Result<usize> {
    let data = fs::read(path)?;
    let count: u32 = data.len();
    Ok(count as usize)
}
