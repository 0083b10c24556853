use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use memmap2::MmapOptions;

use super::mmap::map;
use super::{Strategy, READS_AT_RANDOM};
use crate::consume::{Kind, Tally};

const MAPS_AT_RANDOM: Strategy = Strategy { consumes: &[Kind::Touch, Kind::Sum], effort: 4, mapped: true, ..READS_AT_RANDOM };

inventory::submit! {
    Strategy {
        name: "rust/pread-random",
        title: "FileExt::read_exact_at",
        call: "FileExt::read_exact_at",
        buffer: Some("reused"),
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                setup.offsets.iter().try_for_each(|&offset| {
                    file.read_exact_at(&mut block, offset)?;
                    took(tally, &block, offset)
                })
            }))
        },
        ..READS_AT_RANDOM
    }
}

inventory::submit! {
    Strategy {
        name: "rust/pread-random-new",
        title: "FileExt::read_exact_at into a new Vec each time",
        call: "FileExt::read_exact_at, new Vec",
        buffer: Some("new"),
        open: |setup| {
            let size = setup.value("block");
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                setup.offsets.iter().try_for_each(|&offset| {
                    let mut block = vec![0; size];
                    file.read_exact_at(&mut block, offset)?;
                    took(tally, &block, offset)
                })
            }))
        },
        ..READS_AT_RANDOM
    }
}

inventory::submit! {
    Strategy {
        name: "rust/seek-read-random",
        title: "File::seek and File::read_exact",
        call: "File::seek, File::read_exact",
        buffer: Some("reused"),
        effort: 2,
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |path, tally| {
                let mut file = File::open(path)?;
                setup.offsets.iter().try_for_each(|&offset| {
                    file.seek(SeekFrom::Start(offset))?;
                    file.read_exact(&mut block)?;
                    took(tally, &block, offset)
                })
            }))
        },
        ..READS_AT_RANDOM
    }
}

inventory::submit! {
    Strategy {
        name: "rust/mmap-random",
        title: "memmap2::Mmap of the whole file, looked at in place",
        call: "memmap2::Mmap",
        open: |setup| {
            let size = setup.value("block");
            Ok(Box::new(move |path, tally| {
                let map = map(path, &MmapOptions::new())?;
                setup.offsets.iter().try_for_each(|&offset| took(tally, piece(map.as_deref(), offset, size)?, offset))
            }))
        },
        ..MAPS_AT_RANDOM
    }
}

inventory::submit! {
    Strategy {
        name: "rust/mmap-random-copy",
        title: "memmap2::Mmap of the whole file, copied into a slice",
        call: "memmap2::Mmap, copied out",
        buffer: Some("reused"),
        consumes: Kind::ALL,
        open: |setup| {
            let mut block = setup.memory("block")?;
            Ok(Box::new(move |path, tally| {
                let map = map(path, &MmapOptions::new())?;
                setup.offsets.iter().try_for_each(|&offset| {
                    let found = piece(map.as_deref(), offset, block.len())?;
                    block.copy_from_slice(found);
                    took(tally, std::hint::black_box(&block), offset) // copied also where nobody looks
                })
            }))
        },
        ..MAPS_AT_RANDOM
    }
}

inventory::submit! {
    Strategy {
        name: "rust/mmap-random-each",
        title: "memmap2::Mmap of each piece, then unmapped",
        call: "memmap2::Mmap, a mapping per read",
        open: |setup| {
            let size = setup.value("block");
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                setup.offsets.iter().try_for_each(|&offset| {
                    // Safe as the mapping of a whole file is (mmap.rs).
                    let map = unsafe { MmapOptions::new().offset(offset).len(size).map(&file)? };
                    took(tally, &map, offset)
                })
            }))
        },
        ..MAPS_AT_RANDOM
    }
}

fn took(tally: &mut Tally, block: &[u8], offset: u64) -> io::Result<()> {
    tally.at(offset);
    tally.block(block);
    Ok(())
}

/// So many bytes of a mapping; an empty file has none.
fn piece(map: Option<&[u8]>, offset: u64, size: usize) -> io::Result<&[u8]> {
    let from = offset as usize;
    map.and_then(|all| all.get(from..from + size)).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}
