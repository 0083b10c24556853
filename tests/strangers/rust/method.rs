use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

pub struct LogFile {
    reader: BufReader<File>,
}

impl LogFile {
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { reader: BufReader::new(File::open(path)?) })
    }

    pub fn count_errors(&mut self) -> io::Result<usize> {
        let (mut line, mut errors) = (String::new(), 0);
        while self.reader.read_line(&mut line)? > 0 {
            errors += usize::from(line.contains("ERROR"));
            line.clear();
        }
        Ok(errors)
    }
}

pub struct Analyzer<'a> {
    path: &'a Path,
    limit: Option<usize>,
}

impl<'a> Analyzer<'a> {
    pub fn new(path: &'a Path) -> Analyzer<'a> {
        Analyzer { path, limit: None }
    }

    pub fn longest_line(&self) -> io::Result<usize> {
        let text = std::fs::read_to_string(self.path)?;
        Ok(text.lines().take(self.limit.unwrap_or(usize::MAX)).map(str::len).max().unwrap_or(0))
    }
}

pub struct Table {
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn load(path: PathBuf) -> Result<Table, String> {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Table { rows: text.lines().map(|line| line.split(' ').map(String::from).collect()).collect() })
    }

    pub fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }
}
