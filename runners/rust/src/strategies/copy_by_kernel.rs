use std::fs::File;
use std::io;

use rustix::fs::{copy_file_range, sendfile};

use super::{Operation, Setup, Strategy, COPIES};

const AT_MOST: usize = 1 << 30; // of one call: both take less than 2 GiB

inventory::submit! {
    Strategy {
        name: "rust/copy-file-range",
        title: "copy_file_range",
        call: "copy_file_range",
        buffer: Some("none"),
        effort: 4,
        open: |setup| Ok(copying(setup, |from, to| Ok(copy_file_range(from, None, to, None, AT_MOST)?))),
        ..COPIES
    }
}

inventory::submit! {
    Strategy {
        name: "rust/sendfile",
        title: "sendfile",
        call: "sendfile",
        buffer: Some("none"),
        effort: 4,
        open: |setup| Ok(copying(setup, |from, to| Ok(sendfile(to, from, None, AT_MOST)?))),
        ..COPIES
    }
}

/// Calls until nothing is left.
fn copying(setup: Setup, call: fn(&File, &File) -> io::Result<usize>) -> Operation {
    Box::new(move |path, tally| {
        let (from, to) = (File::open(&setup.source)?, File::create(path)?);
        loop {
            match call(&from, &to)? {
                0 => return Ok(()),
                count => tally.moved(count),
            }
        }
    })
}
