use std::fs;

use super::{Strategy, READS};
use crate::consume::Kind;

inventory::submit! {
    Strategy {
        name: "rust/read-to-string",
        title: "fs::read_to_string",
        call: "std::fs::read_to_string",
        buffer: Some("new"),
        unit: "file",
        sums: "codepoint",
        consumes: &[Kind::None, Kind::Sum],
        compute_only: Some("rust/consume-text"),
        effort: 1,
        memory_per_file_byte: 1.0,
        open: |_| {
            Ok(Box::new(|path, tally| {
                tally.text(&fs::read_to_string(path)?);
                Ok(())
            }))
        },
        ..READS
    }
}
