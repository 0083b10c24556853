use std::fs::File;
use std::io::BufReader;

use super::file_read::read_blocks;
use super::{block, buffer, Strategy, READS};

inventory::submit! {
    Strategy {
        name: "rust/buf-reader-read",
        title: "BufReader::read",
        call: "BufReader::read",
        buffer: Some("new"),
        parameters: &[block("bytes of the slice given to read"), buffer("bytes of the buffer inside BufReader")],
        open: |setup| {
            let mut block = setup.memory("block")?;
            let buffer = setup.value("buffer");
            Ok(Box::new(move |path, tally| read_blocks(BufReader::with_capacity(buffer, File::open(path)?), &mut block, tally)))
        },
        ..READS
    }
}
