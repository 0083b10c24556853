use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use super::file_write::{options, preallocate, writing_synced_by};
use super::ring::{unavailable, Aligned, Piece, Ring, BLOCK, DEPTH, SECTOR};
use super::{Strategy, WRITES};

inventory::submit! {
    Strategy {
        name: "rust/ceiling-direct-write",
        title: "O_DIRECT with io_uring onto blocks that are there",
        call: "O_DIRECT with io_uring",
        modes: &["truncate"],
        durabilities: &["none", "fsync", "fdatasync"],
        parameters: &[BLOCK, DEPTH],
        effort: 4,
        role: "ceiling",
        bypasses_cache: true,
        unavailable: Some(unavailable),
        open: |setup| {
            let (block, depth) = (setup.value("block").next_multiple_of(SECTOR), setup.value("depth"));
            let size = setup.payload.len();
            let mut data = Aligned::new(size.next_multiple_of(SECTOR))?; // the last sector is written whole, then cut
            data.bytes_mut()[..size].copy_from_slice(&setup.payload);
            let mut ring = Ring::new(data, depth)?;
            let mut options = options(&setup);
            options.truncate(false).custom_flags(libc::O_DIRECT);
            Ok(writing_synced_by(File::sync_data, options, setup, move |file, _| {
                let there = file.metadata()?.len();
                if there < size as u64 {
                    preallocate(file, size)?;
                }
                let (mut asked, end) = (0, size.next_multiple_of(SECTOR));
                let next = |_| {
                    let at = asked;
                    asked += block;
                    (at < end).then(|| Piece { offset: at as u64, at, length: block.min(end - at) })
                };
                ring.carry_out(file, true, next, |_, piece, count| match count == piece.length {
                    true => Ok(()),
                    false => Err(io::Error::other(format!("{count} bytes of {} went to {}", piece.length, piece.offset))),
                })?;
                if there.max(end as u64) != size as u64 {
                    file.set_len(size as u64)?;
                }
                Ok(())
            }))
        },
        ..WRITES
    }
}
