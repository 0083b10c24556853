#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    Info,
    Error,
    Other,
}

impl Level {
    pub fn of(line: &str) -> Level {
        match line.split(' ').nth(1) {
            Some("INFO") => Level::Info,
            Some("ERROR") => Level::Error,
            _ => Level::Other,
        }
    }
}
