use std::fs::File;
use std::io::{Read, Write};

use super::{block, Strategy, COPIES};

inventory::submit! {
    Strategy {
        name: "rust/copy-blocks",
        title: "File::read and File::write_all",
        call: "File::read and File::write_all",
        buffer: Some("reused"),
        unit: "block",
        parameters: &[block("bytes of the slice that is read into and written from")],
        effort: 2,
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |path, tally| {
                let (mut from, mut to) = (File::open(&setup.source)?, File::create(path)?);
                loop {
                    let count = from.read(&mut block)?;
                    if count == 0 {
                        return Ok(());
                    }
                    to.write_all(&block[..count])?;
                    tally.moved(count);
                }
            }))
        },
        ..COPIES
    }
}
