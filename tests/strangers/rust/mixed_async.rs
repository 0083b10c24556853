use std::io;

pub async fn load(path: &str) -> io::Result<usize> {
    size(path)
}

pub fn size(path: &str) -> io::Result<usize> {
    std::fs::read(path).map(|data| data.len())
}
