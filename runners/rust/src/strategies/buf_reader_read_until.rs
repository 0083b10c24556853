use std::fs::File;
use std::io::{BufRead, BufReader};

use super::{buffer, Strategy, READS};
use crate::consume::Kind;

inventory::submit! {
    Strategy {
        name: "rust/buf-reader-read-until",
        title: "BufReader::read_until, one Vec for all lines",
        call: "BufReader::read_until",
        buffer: Some("new"),
        unit: "line",
        sums: "line-byte",
        consumes: &[Kind::None, Kind::Sum],
        parameters: &[buffer("bytes of the buffer inside BufReader")],
        compute_only: None,
        open: |setup| {
            let buffer = setup.value("buffer");
            let mut line = Vec::new();
            Ok(Box::new(move |path, tally| {
                let mut reader = BufReader::with_capacity(buffer, File::open(path)?);
                loop {
                    line.clear();
                    if reader.read_until(b'\n', &mut line)? == 0 {
                        return Ok(());
                    }
                    tally.line(without_end(&line));
                }
            }))
        },
        ..READS
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}
