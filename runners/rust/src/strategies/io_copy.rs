use std::fs::File;
use std::io;

use super::{Strategy, COPIES};

inventory::submit! {
    Strategy {
        name: "rust/io-copy",
        title: "io::copy from File to File",
        call: "std::io::copy",
        buffer: Some("none"),
        open: |setup| {
            Ok(Box::new(move |path, tally| {
                let count = io::copy(&mut File::open(&setup.source)?, &mut File::create(path)?)?;
                tally.moved(count as usize);
                Ok(())
            }))
        },
        ..COPIES
    }
}
