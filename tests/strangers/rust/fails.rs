use std::io;

#[derive(Debug)]
pub enum ParseError {
    Missing { column: &'static str },
}

pub fn column(path: &str) -> Result<usize, ParseError> {
    let text = std::fs::read_to_string(path).map_err(|_: io::Error| ParseError::Missing { column: "file" })?;
    text.lines().next().and_then(|line| line.find("price")).ok_or(ParseError::Missing { column: "price" })
}
