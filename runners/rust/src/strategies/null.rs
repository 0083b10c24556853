use super::{Strategy, READS};
use crate::consume::Kind;

inventory::submit! {
    Strategy {
        name: "rust/null",
        title: "nothing",
        call: "nothing",
        unit: "file",
        consumes: &[Kind::None],
        effort: 1,
        role: "null",
        compute_only: None,
        open: |_| Ok(Box::new(|_, _| Ok(()))),
        ..READS
    }
}
