use std::fs;
use std::io;
use std::path::Path;

const LEVELS: &str = include_str!("levels.txt");

pub fn known_levels(path: &Path) -> io::Result<usize> {
    let text = fs::read_to_string(path)?;
    Ok(LEVELS.lines().map(|level| text.matches(level).count()).sum())
}
