use std::fs::File;
use std::io::{BufRead, BufReader};

use super::{buffer, Strategy, READS};
use crate::consume::Kind;

inventory::submit! {
    Strategy {
        name: "rust/buf-reader-line",
        title: "BufReader::lines",
        call: "BufReader::lines",
        buffer: Some("new"),
        unit: "line",
        sums: "line-byte",
        consumes: &[Kind::None, Kind::Sum],
        parameters: &[buffer("bytes of the buffer inside BufReader")],
        effort: 1,
        compute_only: None,
        open: |setup| {
            let buffer = setup.value("buffer");
            Ok(Box::new(move |path, tally| {
                for line in BufReader::with_capacity(buffer, File::open(path)?).lines() {
                    tally.line(line?.as_bytes());
                }
                Ok(())
            }))
        },
        ..READS
    }
}
