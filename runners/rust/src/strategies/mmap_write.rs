use memmap2::MmapMut;

use super::file_write::{options, preallocate, writing};
use super::{Strategy, WRITES};

inventory::submit! {
    Strategy {
        name: "rust/mmap-write",
        title: "memmap2::MmapMut of the whole file",
        call: "memmap2::MmapMut",
        unit: "file",
        modes: &["truncate"],
        durabilities: &["none", "fsync", "fdatasync"],
        effort: 4,
        mapped: true,
        open: |setup| {
            let mut options = options(&setup);
            options.read(true); // a shared mapping wants both
            Ok(writing(options, setup, |file, setup| {
                if setup.payload.is_empty() {
                    return Ok(());
                }
                preallocate(file, setup.payload.len())?; // a full disk is an error here, not a fault later
                let mut map = unsafe { MmapMut::map_mut(&*file)? };
                map.copy_from_slice(&setup.payload);
                Ok(())
            }))
        },
        ..WRITES
    }
}
