use std::io::{BufWriter, Write};

use super::file_write::{options, writing};
use super::{buffer, Strategy, WRITES};

inventory::submit! {
    Strategy {
        name: "rust/buf-writer-byte",
        title: "BufWriter::write_all, byte by byte",
        call: "BufWriter::write_all, single bytes",
        buffer: Some("new"),
        unit: "byte",
        parameters: &[buffer("bytes of the buffer inside BufWriter")],
        open: |setup| {
            let buffer = setup.value("buffer");
            Ok(writing(options(&setup), setup, move |file, setup| {
                let mut writer = BufWriter::with_capacity(buffer, file);
                setup.payload.iter().try_for_each(|&byte| writer.write_all(&[byte]))?;
                writer.flush()
            }))
        },
        ..WRITES
    }
}
