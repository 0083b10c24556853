use std::fs;

use super::{Strategy, COPIES};

inventory::submit! {
    Strategy {
        name: "rust/copy",
        title: "fs::copy",
        call: "std::fs::copy",
        buffer: Some("none"),
        open: |setup| {
            Ok(Box::new(move |path, tally| {
                tally.moved(fs::copy(&setup.source, path)? as usize);
                Ok(())
            }))
        },
        ..COPIES
    }
}
