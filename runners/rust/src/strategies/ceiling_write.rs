use std::fs::File;
use std::os::unix::fs::FileExt;

use super::file_write::{options, preallocate, writing_synced_by};
use super::{block, switch, Parameter, Strategy, BLOCKS_TRIED, WRITES};

inventory::submit! {
    Strategy {
        name: "rust/ceiling-write",
        title: "writing over what is there, or at the end",
        call: "write",
        parameters: &[
            Parameter {
                // Where each call waits: the fewer, the better.
                tried: &[BLOCKS_TRIED[0], BLOCKS_TRIED[1], ("synchronous", &[1 << 20, 16 << 20])],
                ..block("bytes of a write")
            },
            // Not at the end of what is there already.
            switch("preallocate", "1: all blocks of the file are had at once first", &[("warm", &[0, 1]), ("append", &[0])]),
        ],
        effort: 4,
        role: "ceiling",
        open: |setup| {
            let preallocates = setup.value("preallocate") == 1;
            let appends = setup.mode == "append";
            let mut options = options(&setup);
            options.truncate(false);
            Ok(writing_synced_by(File::sync_data, options, setup, move |file, setup| {
                let size = setup.payload.len() as u64;
                let there = if appends { 0 } else { file.metadata()?.len() };
                if preallocates && !appends && there < size {
                    preallocate(file, size as usize)?;
                }
                let mut offset = 0; // where a file is appended to it means nothing
                for each in setup.payload.chunks(setup.value("block")) {
                    file.write_all_at(each, offset)?;
                    offset += each.len() as u64;
                }
                if there > size {
                    file.set_len(size)?;
                }
                Ok(())
            }))
        },
        ..WRITES
    }
}
