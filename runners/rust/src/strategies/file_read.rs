use std::fs::File;
use std::io::{self, Read};

use super::{block, Strategy, READS};
use crate::consume::Tally;

inventory::submit! {
    Strategy {
        name: "rust/file-read",
        title: "File::read",
        call: "File::read",
        buffer: Some("reused"),
        parameters: &[block("bytes of the slice given to read")],
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |path, tally| read_blocks(File::open(path)?, &mut block, tally)))
        },
        ..READS
    }
}

/// To the end, through a block of the program's.
pub fn read_blocks(mut reader: impl Read, block: &mut [u8], tally: &mut Tally) -> io::Result<()> {
    loop {
        match reader.read(block) {
            Ok(0) => return Ok(()),
            Ok(count) => tally.block(&block[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
