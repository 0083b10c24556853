use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use super::ring::{unavailable, Aligned, Piece, Ring, BLOCK, DEPTH, SECTOR};
use super::{size_of, Strategy, READS};
use crate::consume;

inventory::submit! {
    Strategy {
        name: "rust/ceiling-direct",
        title: "O_DIRECT with io_uring, several requests in flight",
        call: "O_DIRECT with io_uring",
        parameters: &[BLOCK, DEPTH],
        effort: 4,
        role: "ceiling",
        bypasses_cache: true,
        compute_only: None,
        unavailable: Some(unavailable),
        open: |setup| {
            let (block, depth) = (setup.value("block").next_multiple_of(SECTOR), setup.value("depth"));
            let mut ring = Ring::new(Aligned::new(block * depth)?, depth)?;
            Ok(Box::new(move |path, tally| {
                let file = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)?;
                let size = size_of(&file)?;
                let mut asked = 0;
                let next = |slot: usize| {
                    let offset = asked;
                    asked += block as u64;
                    (offset < size).then_some(Piece { offset, at: slot * block, length: block })
                };
                ring.carry_out(&file, false, next, |memory, piece, count| {
                    let due = (piece.length as u64).min(size - piece.offset) as usize;
                    if count != due {
                        return Err(io::Error::other(format!("{count} bytes of {due} came at {}", piece.offset)));
                    }
                    let found = &memory[piece.at..piece.at + count];
                    tally.parts(due as u64, consume::of(tally.kind(), found, piece.offset));
                    Ok(())
                })
            }))
        },
        ..READS
    }
}
