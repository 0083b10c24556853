use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use super::file_write::{options, writing};
use super::ring::{Aligned, SECTOR};
use super::{block, Parameter, Strategy, WRITES};

pub const BLOCK: Parameter = Parameter {
    default: 1 << 20,
    least: SECTOR as i64,
    most: 1 << 26,
    ..block("bytes of the aligned memory, rounded up to a multiple of 4096")
};

inventory::submit! {
    Strategy {
        name: "rust/file-write-direct",
        title: "File::write_all with O_DIRECT, from aligned memory",
        call: "File::write_all, O_DIRECT",
        buffer: Some("reused"),
        modes: &["truncate"],
        parameters: &[BLOCK],
        effort: 4,
        bypasses_cache: true,
        open: |setup| {
            let mut block = Aligned::new(setup.value("block").next_multiple_of(SECTOR))?;
            let waits = setup.durability == "dsync";
            let mut options = options(&setup);
            options.custom_flags(libc::O_DIRECT | if waits { libc::O_DSYNC } else { 0 });
            Ok(writing(options, setup, move |file, setup| {
                let memory = block.bytes_mut();
                for each in setup.payload.chunks(memory.len()) {
                    memory[..each.len()].copy_from_slice(each);
                    file.write_all(&memory[..each.len().next_multiple_of(SECTOR)])?;
                }
                if setup.payload.len() % SECTOR > 0 {
                    file.set_len(setup.payload.len() as u64)?; // the last sector was written whole
                    if waits {
                        file.sync_all()?;
                    }
                }
                Ok(())
            }))
        },
        ..WRITES
    }
}
