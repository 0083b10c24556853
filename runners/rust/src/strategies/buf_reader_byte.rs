use std::fs::File;
use std::io::{BufReader, Read};

use super::{buffer, Strategy, READS};

inventory::submit! {
    Strategy {
        name: "rust/buf-reader-byte",
        title: "BufReader::bytes",
        call: "BufReader::bytes",
        buffer: Some("new"),
        unit: "byte",
        parameters: &[buffer("bytes of the buffer inside BufReader")],
        effort: 1,
        compute_only: None, // one byte at a time there is no other work that could be told apart
        open: |setup| {
            let buffer = setup.value("buffer");
            Ok(Box::new(move |path, tally| {
                for byte in BufReader::with_capacity(buffer, File::open(path)?).bytes() {
                    tally.byte(byte?);
                }
                Ok(())
            }))
        },
        ..READS
    }
}
