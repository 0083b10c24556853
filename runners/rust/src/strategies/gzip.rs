//! Ways to unpack a gzip file. All members of it are read, one after the other, as `gzip -d` does.

use std::fs::File;
use std::io::{BufRead, BufReader};

use flate2::{bufread, read};

use super::file_read::read_blocks;
use super::{block, buffer, Strategy, READS};
use crate::consume::Kind;

/// What is behind the last member is taken for another one, with a wrong header.
const UNPACKS: Strategy = Strategy { format: "gzip", buffer: Some("new"), trips_on: &["trailing-data", "trailing-zeros"], ..READS };
const BLOCK: super::Parameter = block("bytes of the slice given to read, which takes unpacked data");

inventory::submit! {
    Strategy {
        name: "rust/gzip-read",
        title: "flate2 MultiGzDecoder over File, read",
        call: "MultiGzDecoder::read",
        parameters: &[BLOCK],
        open: |setup| {
            let mut block = setup.memory("block")?;
            // This decoder brings its own buffer, of 32 KiB.
            Ok(Box::new(move |path, tally| read_blocks(read::MultiGzDecoder::new(File::open(path)?), &mut block, tally)))
        },
        ..UNPACKS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/gzip-buf-read",
        title: "flate2 MultiGzDecoder over BufReader, read",
        call: "MultiGzDecoder over BufReader",
        parameters: &[BLOCK, buffer("bytes of the BufReader, which holds packed data")],
        open: |setup| {
            let mut block = setup.memory("block")?;
            let buffer = setup.value("buffer");
            Ok(Box::new(move |path, tally| {
                let packed = BufReader::with_capacity(buffer, File::open(path)?);
                read_blocks(bufread::MultiGzDecoder::new(packed), &mut block, tally)
            }))
        },
        ..UNPACKS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/gzip-lines",
        title: "BufReader over flate2 MultiGzDecoder, lines",
        call: "BufReader over MultiGzDecoder",
        unit: "line",
        sums: "line-byte",
        consumes: &[Kind::None, Kind::Sum],
        parameters: &[buffer("bytes of the BufReader, which holds unpacked data")],
        compute_only: None,
        open: |setup| {
            let buffer = setup.value("buffer");
            Ok(Box::new(move |path, tally| {
                let unpacked = read::MultiGzDecoder::new(File::open(path)?);
                for line in BufReader::with_capacity(buffer, unpacked).lines() {
                    tally.line(line?.as_bytes());
                }
                Ok(())
            }))
        },
        ..UNPACKS
    }
}
