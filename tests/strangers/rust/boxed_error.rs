use std::error::Error;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;

pub fn digits(file_name: &OsStr) -> Result<usize, Box<dyn Error + Send + Sync>> {
    let mut text = String::new();
    File::open(file_name)?.read_to_string(&mut text)?;
    if text.is_empty() {
        return Err("an empty file".into());
    }
    Ok(text.chars().filter(char::is_ascii_digit).count())
}
