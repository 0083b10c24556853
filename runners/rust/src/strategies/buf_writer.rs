use std::io::{BufWriter, Write};

use super::file_write::{options, write_blocks, writing};
use super::{block, buffer, Strategy, WRITES};

inventory::submit! {
    Strategy {
        name: "rust/buf-writer",
        title: "BufWriter::write_all",
        call: "BufWriter::write_all",
        buffer: Some("new"),
        parameters: &[block("bytes of the slices given to write_all"), buffer("bytes of the buffer inside BufWriter")],
        open: |setup| {
            let buffer = setup.value("buffer");
            Ok(writing(options(&setup), setup, move |file, setup| {
                let mut writer = BufWriter::with_capacity(buffer, file);
                write_blocks(&mut writer, setup)?;
                writer.flush()
            }))
        },
        ..WRITES
    }
}
