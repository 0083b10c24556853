use std::fs;
use std::io;

#[derive(Debug)]
pub enum CsvError {
    Io(io::Error),
    NoHeader,
    Field { line: usize, text: String },
}

impl From<io::Error> for CsvError {
    fn from(error: io::Error) -> Self {
        CsvError::Io(error)
    }
}

pub type Result<T> = std::result::Result<T, CsvError>;

pub fn mean(csv_path: String) -> Result<f64> {
    let text = fs::read_to_string(csv_path)?;
    let mut lines = text.lines();
    lines.next().ok_or(CsvError::NoHeader)?;
    let (mut sum, mut count) = (0.0, 0);
    for (number, line) in lines.enumerate() {
        let field = line.rsplit(',').next().unwrap_or_default();
        sum += field.parse::<f64>().map_err(|_| CsvError::Field { line: number + 2, text: field.into() })?;
        count += 1;
    }
    Ok(sum / f64::from(count))
}
