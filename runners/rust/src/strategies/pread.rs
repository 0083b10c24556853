use std::fs::File;
use std::os::unix::fs::FileExt;

use super::{block, Strategy, READS};

inventory::submit! {
    Strategy {
        name: "rust/pread",
        title: "FileExt::read_at",
        call: "FileExt::read_at",
        buffer: Some("reused"),
        parameters: &[block("bytes of the slice given to read_at")],
        effort: 3,
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                let mut offset = 0;
                loop {
                    let count = file.read_at(&mut block, offset)?;
                    if count == 0 {
                        return Ok(());
                    }
                    tally.block(&block[..count]);
                    offset += count as u64;
                }
            }))
        },
        ..READS
    }
}
