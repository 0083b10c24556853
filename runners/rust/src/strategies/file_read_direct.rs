use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use super::file_write_direct::BLOCK;
use super::ring::{Aligned, SECTOR};
use super::{Strategy, READS};

inventory::submit! {
    Strategy {
        name: "rust/file-read-direct",
        title: "File::read with O_DIRECT, into aligned memory",
        call: "File::read, O_DIRECT",
        buffer: Some("reused"),
        parameters: &[BLOCK],
        effort: 4,
        bypasses_cache: true,
        open: |setup| {
            let mut block = Aligned::new(setup.value("block").next_multiple_of(SECTOR))?;
            Ok(Box::new(move |path, tally| {
                let mut file = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)?;
                let memory = block.bytes_mut();
                loop {
                    let count = file.read(memory)?;
                    tally.block(&memory[..count]);
                    if count < memory.len() {
                        return Ok(()); // at the end, from where O_DIRECT does not go on
                    }
                }
            }))
        },
        ..READS
    }
}
