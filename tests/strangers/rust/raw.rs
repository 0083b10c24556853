use std::ffi::OsString;
use std::fs;

/// # Safety
/// The file must be UTF-8.
pub unsafe fn letters(path: OsString) -> usize {
    let data = fs::read(path).unwrap();
    let text = unsafe { std::str::from_utf8_unchecked(&data) };
    text.chars().filter(|each| each.is_alphabetic()).count()
}
