use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};

use super::crew::{in_parts, Crew};
use super::{block, size_of, threads, Parameter, Strategy, READS};
use crate::consume;

inventory::submit! {
    Strategy {
        name: "rust/pread-parallel",
        title: "FileExt::read_at by several threads, a part each",
        call: "FileExt::read_at, threads",
        buffer: Some("reused"),
        parameters: &[
            Parameter { default: 128 << 10, most: 1 << 26, ..block("bytes of the slice of each thread") },
            Parameter { default: 4, most: 64, ..threads() },
        ],
        effort: 3,
        compute_only: None, // the threads consume in parallel
        open: |setup| {
            let crew = Crew::new(setup.value("threads"))?;
            let kind = setup.consume;
            let blocks: Arc<[_]> = (0..crew.size()).map(|_| setup.memory("block").map(Mutex::new)).collect::<Result<_, _>>()?;
            Ok(Box::new(move |path, tally| {
                let file = File::open(path)?;
                let blocks = Arc::clone(&blocks);
                let size = size_of(&file)?;
                in_parts(&crew, size, tally, move |number, from, to| {
                    let mut block = blocks[number].lock().unwrap();
                    let (mut offset, mut sum) = (from, 0u64);
                    while offset < to {
                        let wanted = block.len().min((to - offset) as usize);
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
