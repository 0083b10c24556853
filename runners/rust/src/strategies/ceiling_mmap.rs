use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::{Mmap, MmapOptions};

use super::crew::{in_parts, Crew};
use super::mmap::map;
use super::{switch, threads, Strategy, READS};
use crate::consume::{self, Kind};

/// Mappings that outlive their operation, the oldest first. Pages that are mapped already are mapped again at less cost, and
/// a runtime that unmaps only when it collects garbage has that for nothing: the limit must know it, too.
static KEPT: Mutex<VecDeque<Arc<Mmap>>> = Mutex::new(VecDeque::new());
/// How much address space they may take, in bytes: their page tables take a 512th of it.
const MOST: usize = 4 << 30;

inventory::submit! {
    Strategy {
        name: "rust/ceiling-mmap",
        title: "a mapping, looked at by several threads",
        call: "mmap",
        unit: "file",
        consumes: &[Kind::Touch, Kind::Sum],
        parameters: &[
            threads(),
            switch("kept", "1: mappings stay until the runner is told to release them", &[("warm", &[0, 1])]),
        ],
        effort: 4,
        role: "ceiling",
        mapped: true,
        compute_only: None,
        open: |setup| {
            let crew = Crew::new(setup.value("threads"))?;
            let kept = setup.value("kept") == 1;
            let kind = setup.consume;
            Ok(Box::new(move |path, tally| {
                let Some(map) = map(path, &MmapOptions::new())?.map(Arc::new) else { return Ok(()) };
                if kept {
                    keep(Arc::clone(&map));
                }
                let size = map.len() as u64;
                in_parts(&crew, size, tally, move |_, from, to| {
                    Ok((to - from, consume::of(kind, &map[from as usize..to as usize], from)))
                })
            }))
        },
        ..READS
    }
}

fn keep(map: Arc<Mmap>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push_back(map);
    while kept.iter().map(|each| each.len()).sum::<usize>() > MOST {
        kept.pop_front();
    }
}

/// Unmaps all that was kept.
pub fn release() {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
