use std::fs;

use super::{Strategy, WRITES};

inventory::submit! {
    Strategy {
        name: "rust/write",
        title: "fs::write",
        call: "std::fs::write",
        buffer: Some("reused"),
        unit: "file",
        modes: &["truncate"],      // it can do no other,
        durabilities: &["none"],   // and gives no hold of its file
        effort: 1,
        open: |setup| {
            Ok(Box::new(move |path, tally| {
                fs::write(path, &setup.payload)?;
                tally.moved(setup.payload.len());
                Ok(())
            }))
        },
        ..WRITES
    }
}
