use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::{Mmap, MmapOptions};

use super::crew::{in_parts, Crew};
use super::mmap::map;
use super::{switch, threads, Strategy, READS};
use crate::consume::{self, Kind};

/// Mappings that outlive their operation, the oldest first. Pages that are mapped already are mapped again at less cost, and
/// a runtime that unmaps only when it collects garbage has that for nothing: the limit must know it, too.
static KEPT: Mutex<Kept> = Mutex::new(Kept { all: VecDeque::new(), bytes: 0 });
/// How much address space they may take, in bytes: their page tables take a 512th of it.
const MOST_BYTES: usize = 4 << 30;
/// How many there may be: the kernel allows a process about 65 000.
const MOST: usize = 4096;

struct Kept {
    all: VecDeque<Arc<Mmap>>,
    bytes: usize,
}

inventory::submit! {
    Strategy {
        name: "rust/ceiling-mmap",
        title: "a mapping, looked at by several threads",
        call: "mmap",
        unit: "file",
        consumes: &[Kind::Touch, Kind::Sum],
        parameters: &[
            threads(),
            switch("lasting", "1: mappings stay until the runner is told to release them", &[("warm", &[0, 1]), ("device", &[0])]),
        ],
        effort: 4,
        role: "ceiling",
        mapped: true,
        compute_only: None,
        open: |setup| {
            let crew = Crew::new(setup.value("threads"))?;
            let kept = setup.value("lasting") == 1;
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
    kept.bytes += map.len();
    kept.all.push_back(map);
    while kept.bytes > MOST_BYTES || kept.all.len() > MOST {
        let Some(oldest) = kept.all.pop_front() else { return };
        kept.bytes -= oldest.len();
    }
}

/// Unmaps all that was kept.
pub fn release() {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.all.clear();
    kept.bytes = 0;
}
