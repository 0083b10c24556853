use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};

use super::crew::{in_parts, Crew};
use super::ring::Aligned;
use super::{block, size_of, threads, Parameter, Strategy, BLOCKS_TRIED, READS};
use crate::consume;

inventory::submit! {
    Strategy {
        name: "rust/ceiling-pread",
        title: "pread by several threads into blocks that stay in cache",
        call: "pread",
        parameters: &[Parameter { tried: BLOCKS_TRIED, ..block("bytes of each thread's block") }, threads()],
        effort: 4,
        role: "ceiling",
        compute_only: None,
        open: |setup| {
            let crew = Crew::new(setup.value("threads"))?;
            let (most, kind) = (setup.value("block"), setup.consume);
            // The kernel copies slower into some places than to the start of a page.
            let blocks: Arc<[_]> = (0..crew.size()).map(|_| Aligned::new(most).map(Mutex::new)).collect::<Result<_, _>>()?;
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                let blocks = Arc::clone(&blocks);
                let size = size_of(&file)?;
                in_parts(&crew, size, tally, move |number, from, to| {
                    let mut memory = blocks[number].lock().unwrap();
                    let block = &mut memory.bytes_mut()[..most];
                    let (mut offset, mut sum) = (from, 0u64);
                    while offset < to {
                        let wanted = most.min((to - offset) as usize);
                        let count = file.read_at(&mut block[..wanted], offset)?;
                        if count == 0 {
                            break;
                        }
                        sum = sum.wrapping_add(consume::of(kind, &block[..count], offset));
                        offset += count as u64;
                    }
                    Ok((offset - from, sum))
                })
            }))
        },
        ..READS
    }
}
