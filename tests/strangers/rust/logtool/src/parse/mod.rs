pub mod level;

use level::Level;
use std::io::BufRead;

pub fn levels(path: &str) -> std::io::Result<Vec<Level>> {
    let file = std::fs::File::open(path)?;
    std::io::BufReader::new(file).lines().map(|line| Ok(Level::of(&line?))).collect()
}
