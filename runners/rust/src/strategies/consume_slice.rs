use super::{Strategy, READS};

inventory::submit! {
    Strategy {
        name: "rust/consume-slice",
        title: "consuming a slice in memory",
        call: "consuming a slice",
        medium: "memory",
        role: "compute_only",
        compute_only: None,
        unit: "file",
        effort: 1,
        open: |setup| {
            Ok(Box::new(move |_, tally| {
                tally.block(&setup.payload);
                Ok(())
            }))
        },
        ..READS
    }
}
