use std::borrow::Cow;
use std::fs;

pub fn uppercase(path: Cow<'_, str>) -> Option<usize> {
    let text = fs::read_to_string(path.as_ref()).ok()?;
    Some(text.chars().filter(|each| each.is_uppercase()).count())
}

pub fn lowercase<S: AsRef<str>>(path: S) -> Option<usize> {
    let text = fs::read_to_string(path.as_ref()).ok()?;
    Some(text.chars().filter(|each| each.is_lowercase()).count())
}

pub fn blanks<S: Into<String>>(file_name: S) -> Option<usize> {
    let text = fs::read_to_string(file_name.into()).ok()?;
    Some(text.matches(' ').count())
}

pub fn dots(path: &String) -> usize {
    fs::read(path).map(|data| data.iter().filter(|&&byte| byte == b'.').count()).unwrap_or(0)
}
