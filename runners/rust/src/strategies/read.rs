use std::fs;

use super::{Strategy, READS};

inventory::submit! {
    Strategy {
        name: "rust/read",
        title: "fs::read",
        call: "std::fs::read",
        buffer: Some("new"),
        unit: "file",
        effort: 1,
        memory_per_file_byte: 1.0,
        open: |_| {
            Ok(Box::new(|path, tally| {
                tally.block(&fs::read(path)?);
                Ok(())
            }))
        },
        ..READS
    }
}
