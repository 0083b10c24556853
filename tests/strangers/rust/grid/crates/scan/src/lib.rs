use std::fs::File;
use std::io::{BufRead, BufReader, Result};
use std::path::PathBuf;

/// The sum of a column of a CSV file.
pub fn sum_of_amounts(csv: &PathBuf) -> Result<f64> {
    let mut sum = 0.0;
    for line in BufReader::new(File::open(csv)?).lines() {
        if let Some(field) = line?.split(',').nth(1) {
            sum += grid_core::number(field);
        }
    }
    Ok(sum)
}
