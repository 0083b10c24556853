use super::{block, Parameter, Strategy, READS};
use crate::consume::Kind;

inventory::submit! {
    Strategy {
        name: "rust/ceiling-memory",
        title: "looking at memory, or copying it block by block",
        call: "memory alone",
        medium: "memory",
        parameters: &[Parameter {
            tried: &[("warm", &[8 << 10, 64 << 10])],
            ..block("bytes of the block that is copied into, where nothing is looked at")
        }],
        effort: 1,
        role: "ceiling",
        compute_only: None,
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |_, tally| {
                if tally.kind() == Kind::None {
                    for each in setup.payload.chunks(block.len()) {
                        block[..each.len()].copy_from_slice(each);
                        std::hint::black_box(&mut block);
                    }
                }
                tally.block(&setup.payload);
                Ok(())
            }))
        },
        ..READS
    }
}
