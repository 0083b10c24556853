use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::thread;

const WORKERS: u64 = 4;

pub fn count_parallel(path: &str) -> io::Result<u64> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let part = size.div_ceil(WORKERS);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|number| {
                let file = &file;
                scope.spawn(move || -> io::Result<u64> {
                    let start = (number * part).min(size);
                    let mut block = vec![0; (part.min(size - start)) as usize];
                    file.read_exact_at(&mut block, start)?;
                    Ok(block.iter().filter(|&&byte| byte == b'\n').count() as u64)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    })
}
