use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::{Advice, Mmap, MmapOptions};

use super::{size_of, Strategy, READS};
use crate::consume::{Kind, Tally};

const MAPS: Strategy = Strategy { unit: "file", consumes: &[Kind::Touch, Kind::Sum], effort: 4, mapped: true, ..READS };

inventory::submit! {
    Strategy {
        name: "rust/mmap",
        title: "memmap2::Mmap of the whole file",
        call: "memmap2::Mmap",
        open: |_| Ok(Box::new(|path, tally| mapped(path, MmapOptions::new(), None, tally))),
        ..MAPS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/mmap-sequential",
        title: "memmap2::Mmap with MADV_SEQUENTIAL",
        call: "memmap2::Mmap, MADV_SEQUENTIAL",
        open: |_| Ok(Box::new(|path, tally| mapped(path, MmapOptions::new(), Some(Advice::Sequential), tally))),
        ..MAPS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/mmap-populate",
        title: "memmap2::Mmap with MAP_POPULATE",
        call: "memmap2::Mmap, MAP_POPULATE",
        open: |_| Ok(Box::new(|path, tally| mapped(path, MmapOptions::new().populate().clone(), None, tally))),
        ..MAPS
    }
}

fn mapped(path: &Path, options: MmapOptions, advice: Option<Advice>, tally: &mut Tally) -> io::Result<()> {
    if let Some(map) = map(path, &options)? {
        if let Some(advice) = advice {
            map.advise(advice)?;
        }
        tally.block(&map);
    }
    Ok(())
}

/// None of an empty file, which cannot be mapped.
pub fn map(path: &Path, options: &MmapOptions) -> io::Result<Option<Mmap>> {
    let file = File::open(path)?;
    // Safe as far as the host keeps its word: nobody changes a data file; a page that is lost all the same is noticed (harness/faults.rs).
    (size_of(&file)? > 0).then(|| unsafe { options.map(&file) }).transpose()
}
