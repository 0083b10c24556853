use super::{Strategy, READS};
use crate::consume::Kind;

inventory::submit! {
    Strategy {
        name: "rust/consume-text",
        title: "decoding and consuming text in memory",
        call: "decoding text",
        medium: "memory",
        sums: "codepoint",
        consumes: &[Kind::None, Kind::Sum],
        role: "compute_only",
        compute_only: None,
        unit: "file",
        effort: 1,
        open: |setup| {
            Ok(Box::new(move |_, tally| {
                let text = std::str::from_utf8(&setup.payload).map_err(std::io::Error::other)?;
                tally.text(text);
                Ok(())
            }))
        },
        ..READS
    }
}
