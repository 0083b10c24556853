//! tokio::fs: each call goes to a thread of a pool and back. Rust's strategies in a runtime, as `#[tokio::main]` has one.

use std::future::Future;
use std::io;

use tokio::fs::{self, File, OpenOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::runtime::{Builder, Runtime};

use super::file_write::options;
use super::{block, buffer, Parameter, Strategy, COPIES, READS, WRITES};
use crate::consume::Kind;

/// Bytes of a piece, each of which is a journey to a thread: fewer are no offer.
const LEAST: i64 = 512;

/// Its thread is the caller's; nothing of it waits for devices, which would be system calls of its own.
struct Tokio(Runtime);

impl Tokio {
    fn new() -> io::Result<Tokio> {
        Ok(Tokio(Builder::new_current_thread().build()?))
    }

    fn run<T>(&self, task: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        self.0.block_on(task)
    }
}

inventory::submit! {
    Strategy {
        name: "rust/tokio-read",
        title: "tokio::fs::read",
        call: "tokio::fs::read",
        buffer: Some("new"),
        unit: "file",
        effort: 1,
        memory_per_file_byte: 1.0,
        open: |_| {
            let tokio = Tokio::new()?;
            Ok(Box::new(move |path, tally| {
                tokio.run(async {
                    tally.block(&fs::read(path).await?);
                    Ok(())
                })
            }))
        },
        ..READS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/tokio-file-read",
        title: "tokio::fs::File, read",
        call: "tokio::fs::File::read",
        buffer: Some("new"),
        parameters: &[Parameter { least: LEAST, ..block("bytes of the slice given to read") }],
        open: |setup| {
            let (tokio, mut block) = (Tokio::new()?, setup.memory("block")?);
            Ok(Box::new(move |path, tally| {
                tokio.run(async {
                    let mut file = File::open(path).await?;
                    loop {
                        match file.read(&mut block).await? {
                            0 => return Ok(()),
                            count => tally.block(&block[..count]),
                        }
                    }
                })
            }))
        },
        ..READS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/tokio-lines",
        title: "tokio::io::BufReader, lines",
        call: "tokio::io::BufReader::lines",
        buffer: Some("new"),
        unit: "line",
        sums: "line-byte",
        consumes: &[Kind::None, Kind::Sum],
        parameters: &[Parameter { least: LEAST, ..buffer("bytes of the buffer inside BufReader") }],
        compute_only: None,
        open: |setup| {
            let (tokio, buffer) = (Tokio::new()?, setup.value("buffer"));
            Ok(Box::new(move |path, tally| {
                tokio.run(async {
                    let mut lines = BufReader::with_capacity(buffer, File::open(path).await?).lines();
                    while let Some(line) = lines.next_line().await? {
                        tally.line(line.as_bytes());
                    }
                    Ok(())
                })
            }))
        },
        ..READS
    }
}

inventory::submit! {
    Strategy {
        name: "rust/tokio-write",
        title: "tokio::fs::write",
        call: "tokio::fs::write",
        buffer: Some("new"),
        unit: "file",
        modes: &["truncate"],
        durabilities: &["none"],
        effort: 1,
        memory_per_file_byte: 1.0, // the pool gets a copy
        open: |setup| {
            let tokio = Tokio::new()?;
            Ok(Box::new(move |path, tally| {
                tally.moved(setup.payload.len());
                tokio.run(fs::write(path, &setup.payload))
            }))
        },
        ..WRITES
    }
}

inventory::submit! {
    Strategy {
        name: "rust/tokio-file-write",
        title: "tokio::fs::File, write_all",
        call: "tokio::fs::File::write_all",
        buffer: Some("new"),
        parameters: &[Parameter { least: LEAST, ..block("bytes of the slices given to write_all") }],
        open: |setup| {
            let (tokio, options, block) = (Tokio::new()?, OpenOptions::from(options(&setup)), setup.value("block"));
            Ok(Box::new(move |path, tally| {
                tokio.run(async {
                    let mut file = options.open(path).await?;
                    for each in setup.payload.chunks(block) {
                        file.write_all(each).await?;
                    }
                    file.flush().await?; // only then are the last bytes written, or known not to be
                    tally.moved(setup.payload.len());
                    match setup.durability {
                        "fsync" => file.sync_all().await,
                        "fdatasync" => file.sync_data().await,
                        _ => Ok(()),
                    }
                })
            }))
        },
        ..WRITES
    }
}

inventory::submit! {
    Strategy {
        name: "rust/tokio-copy",
        title: "tokio::io::copy from File to File",
        call: "tokio::io::copy",
        buffer: Some("new"),
        open: |setup| {
            let tokio = Tokio::new()?;
            Ok(Box::new(move |path, tally| {
                tokio.run(async {
                    let mut to = File::create(path).await?;
                    let count = tokio::io::copy(&mut File::open(&setup.source).await?, &mut to).await?;
                    tally.moved(count as usize);
                    to.flush().await
                })
            }))
        },
        ..COPIES
    }
}
