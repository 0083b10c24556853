use std::sync::Arc;

use memmap2::{Advice, MmapOptions};

use super::crew::{in_parts, Crew};
use super::mmap::map;
use super::{switch, threads, Strategy, READS};
use crate::consume::{self, Kind};

inventory::submit! {
    Strategy {
        name: "rust/ceiling-mmap",
        title: "a mapping, looked at by several threads",
        call: "mmap",
        unit: "file",
        consumes: &[Kind::Touch, Kind::Sum],
        parameters: &[
            threads(),
            switch("populate", "1: each thread has its part's pages mapped at once first", &[("warm", &[0, 1])]),
        ],
        effort: 4,
        role: "ceiling",
        mapped: true,
        compute_only: None,
        open: |setup| {
            let crew = Crew::new(setup.value("threads"))?;
            let populate = setup.value("populate") == 1;
            let kind = setup.consume;
            Ok(Box::new(move |path, tally| {
                let Some(map) = map(path, &MmapOptions::new())?.map(Arc::new) else { return Ok(()) };
                let size = map.len() as u64;
                in_parts(&crew, size, tally, move |_, from, to| {
                    if populate && from < to {
                        map.advise_range(Advice::PopulateRead, from as usize, (to - from) as usize)?;
                    }
                    Ok((to - from, consume::of(kind, &map[from as usize..to as usize], from)))
                })
            }))
        },
        ..READS
    }
}
