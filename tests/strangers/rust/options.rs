use std::io;
use std::path::Path;

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub skip_header: bool,
    pub limit: Option<usize>,
}

pub struct Settings {
    word: String,
}

impl Settings {
    pub fn new() -> Self {
        Settings { word: "ERROR".into() }
    }
}

pub fn rows(csv: &Path, options: &Options) -> io::Result<usize> {
    let text = std::fs::read_to_string(csv)?;
    let header = usize::from(options.skip_header);
    Ok(text.lines().skip(header).take(options.limit.unwrap_or(usize::MAX)).count())
}

pub fn matching(path: impl Into<std::path::PathBuf>, settings: Settings, limit: Option<u32>) -> io::Result<usize> {
    let text = std::fs::read_to_string(path.into())?;
    let limit = limit.map_or(usize::MAX, |limit| limit as usize);
    Ok(text.lines().filter(|line| line.contains(&settings.word)).take(limit).count())
}
