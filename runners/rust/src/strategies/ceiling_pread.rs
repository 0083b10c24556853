use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};

use memmap2::MmapMut;

use super::crew::{in_parts, Crew};
use super::{block, size_of, threads, Strategy, READS};
use crate::consume;

inventory::submit! {
    Strategy {
        name: "rust/ceiling-pread",
        title: "pread by several threads into blocks that stay in cache",
        parameters: &[block("bytes of each thread's block"), threads()],
        effort: 4,
        role: "ceiling",
        companion: None,
        open: |setup| {
            let crew = Crew::new(setup.value("threads"))?;
            let blocks: Arc<[_]> = (0..crew.size()).map(|_| page_aligned(setup.value("block")).map(Mutex::new)).collect::<Result<_, _>>()?;
            let kind = setup.consume;
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                let blocks = Arc::clone(&blocks);
                let size = size_of(&file)?;
                in_parts(&crew, size, tally, move |number, from, to| {
                    let mut block = blocks[number].lock().unwrap();
                    let (mut offset, mut sum) = (from, 0u64);
                    while offset < to {
                        let most = block.len().min((to - offset) as usize);
                        let count = file.read_at(&mut block[..most], offset)?;
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

/// Memory that begins a page and was touched: the kernel copies slower into some other places.
fn page_aligned(length: usize) -> io::Result<MmapMut> {
    let mut memory = MmapMut::map_anon(length)?;
    memory.fill(1);
    Ok(memory)
}
