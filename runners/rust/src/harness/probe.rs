//! What one call for files costs as compiled code sees it: many of one kind between two readings of the clock, on a file
//! that is open before. No strategy does that: an operation of one opens its file, and consumes what it reads.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem::MaybeUninit;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use memmap2::MmapOptions;
use serde_json::{json, Value};

use super::wire::{integer, text};

const MOST_CALLS: i64 = 1 << 24;
const MOST_BYTES: i64 = 1 << 24; // of one call
const PAGE: usize = 4096; // of the smallest kind
const PIPE_PAGES: usize = 16; // of every pipe that was not made smaller

struct Asked {
    path: PathBuf,
    size: usize,
    /// Where reading begins; it goes on at the begin of the file where its end is near.
    offset: u64,
    /// Calls that are not timed, and then calls that are.
    untimed: u64,
    calls: u64,
}

struct Timed {
    wall: Duration,
    processor: Duration,
}

pub fn take(request: &Value) -> Result<Value, String> {
    let call = text(request, "call")?;
    let asked = Asked {
        path: text(request, "path")?.into(),
        size: integer(&request["size"], "size", 0, MOST_BYTES)? as usize,
        offset: integer(&request["offset"], "offset", 0, i64::MAX)? as u64,
        untimed: integer(&request["untimed"], "untimed", 0, MOST_CALLS)? as u64,
        calls: integer(&request["calls"], "calls", 1, MOST_CALLS)? as u64,
    };
    let spent = match call {
        "read" => read(&asked),
        "pread" => pread(&asked),
        "mapped" => mapped(&asked),
        "write" => write(&asked, false),
        "write-synced" => write(&asked, true),
        "null-write" => null_write(&asked),
        "pipe-write" => pipe_write(&asked),
        "open-close" => timed(&asked, || File::open(&asked.path).map(drop)),
        "stat" => timed(&asked, || std::fs::metadata(&asked.path).map(drop)),
        "seek" => seek(&asked),
        "fsync" => append_synced(&asked),
        "fdatasync" => overwrite_synced(&asked),
        _ => return Err(format!("unknown call {call:?}")),
    };
    let spent = spent.map_err(|error| format!("{call}: {}: {error}", asked.path.display()))?;
    Ok(json!({ "verb": "probe", "ns": spent.wall.as_nanos() as u64, "processor_ns": spent.processor.as_nanos() as u64 }))
}

/// The time of the timed calls.
fn timed(asked: &Asked, mut call: impl FnMut() -> io::Result<()>) -> io::Result<Timed> {
    (0..asked.untimed).try_for_each(|_| call())?;
    clocked(|| (0..asked.calls).try_for_each(|_| call()))
}

/// The processor's time has the wall's around it, so that no reading of a clock is in the time of the wall.
fn clocked(work: impl FnOnce() -> io::Result<()>) -> io::Result<Timed> {
    let worked = processor();
    let start = Instant::now();
    work()?;
    let wall = start.elapsed();
    Ok(Timed { wall, processor: processor() - worked })
}

/// What this thread had of a processor so far.
fn processor() -> Duration {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, now.as_mut_ptr());
        now.assume_init()
    };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Each call must move as much as was asked: a shorter one costs less.
fn whole(asked: &Asked, moved: usize) -> io::Result<()> {
    match moved == asked.size {
        true => Ok(()),
        false => Err(io::Error::other(format!("a call moved {moved} of {} bytes", asked.size))),
    }
}

/// The last place of a file at which a whole piece begins.
fn last_piece(asked: &Asked, file: &File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    length.checked_sub(asked.size as u64).ok_or_else(|| io::Error::other(format!("{length} bytes, less than one call")))
}

fn read(asked: &Asked) -> io::Result<Timed> {
    let mut file = File::open(&asked.path)?;
    let (mut block, last, mut at) = (vec![0; asked.size], last_piece(asked, &file)?, asked.offset);
    file.seek(SeekFrom::Start(at))?;
    timed(asked, || {
        if at > last {
            at = file.seek(SeekFrom::Start(0))?;
        }
        at += asked.size as u64;
        whole(asked, file.read(&mut block)?)
    })
}

fn pread(asked: &Asked) -> io::Result<Timed> {
    let file = File::open(&asked.path)?;
    let (mut block, last, mut at) = (vec![0; asked.size], last_piece(asked, &file)?, asked.offset);
    timed(asked, || {
        if at > last {
            at = 0;
        }
        let moved = file.read_at(&mut block, at)?;
        at += asked.size as u64;
        whole(asked, moved)
    })
}

/// A piece of the file is mapped, one byte of each page is read, and the mapping is removed.
fn mapped(asked: &Asked) -> io::Result<Timed> {
    let file = File::open(&asked.path)?;
    let (last, mut at) = (last_piece(asked, &file)?, asked.offset);
    timed(asked, || {
        if at > last {
            at = 0;
        }
        let piece = unsafe { MmapOptions::new().offset(at).len(asked.size).map(&file)? };
        at += asked.size as u64;
        let sum = piece.iter().step_by(PAGE).fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        black_box(sum);
        Ok(())
    })
}

/// Into a new file. It has no name while it is written, so that nothing of it is left if this process is killed; with `synced`,
/// it is made durable at the end, within the time, and keeps its name, because a file system may sync nothing of what has none.
fn write(asked: &Asked, synced: bool) -> io::Result<Timed> {
    let file = OpenOptions::new().write(true).create_new(true).open(&asked.path)?;
    if !synced {
        std::fs::remove_file(&asked.path)?;
    }
    let block = pattern(asked.size);
    let call = || whole(asked, (&file).write(&block)?);
    (0..asked.untimed).try_for_each(|_| call())?;
    let timed = clocked(|| {
        (0..asked.calls).try_for_each(|_| call())?;
        if synced { file.sync_all() } else { Ok(()) }
    });
    if synced {
        std::fs::remove_file(&asked.path)?;
    }
    timed
}

/// No zeros, which a file system need not store.
fn pattern(size: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..size).map(|_| next()).collect()
}

fn null_write(asked: &Asked) -> io::Result<Timed> {
    let mut file = OpenOptions::new().write(true).open("/dev/null")?;
    let block = pattern(asked.size);
    timed(asked, || whole(asked, file.write(&block)?))
}

/// Into a pipe that is emptied between the times: nobody waits for its other end, and nobody is woken up.
fn pipe_write(asked: &Asked) -> io::Result<Timed> {
    let (mut from, mut into) = pipe()?;
    // A page takes what fits into it as a whole: nothing of it is split.
    let (small, pages) = ((PAGE / asked.size.max(1)).max(1), asked.size.div_ceil(PAGE).max(1));
    let at_once = (small * (PIPE_PAGES / pages).max(1)) as u64;
    let (block, mut emptied) = (pattern(asked.size), vec![0; at_once as usize * asked.size]);
    let mut spent = Timed { wall: Duration::ZERO, processor: Duration::ZERO };
    let (mut untimed, mut left) = (asked.untimed, asked.calls);
    while left > 0 {
        let counts = untimed == 0;
        let now = at_once.min(if counts { left } else { untimed });
        let timed = clocked(|| (0..now).try_for_each(|_| whole(asked, into.write(&block)?)))?;
        from.read_exact(&mut emptied[..now as usize * asked.size])?;
        if counts {
            spent = Timed { wall: spent.wall + timed.wall, processor: spent.processor + timed.processor };
            left -= now;
        } else {
            untimed -= now;
        }
    }
    Ok(spent)
}

/// Its two ends. A write into a full pipe fails instead of waiting for ever.
fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) })
}

fn seek(asked: &Asked) -> io::Result<Timed> {
    let mut file = File::open(&asked.path)?;
    let mut at = 0;
    timed(asked, || {
        at ^= 4096;
        file.seek(SeekFrom::Start(at)).map(drop)
    })
}

/// A record at the end of a file, durable before the next one.
fn append_synced(asked: &Asked) -> io::Result<Timed> {
    let mut file = OpenOptions::new().append(true).create(true).open(&asked.path)?;
    let block = pattern(asked.size);
    timed(asked, || {
        whole(asked, file.write(&block)?)?;
        file.sync_all()
    })
}

/// A record in the place of another one: the file stays as long as it is, and has its blocks.
fn overwrite_synced(asked: &Asked) -> io::Result<Timed> {
    made(&asked.path, asked.size)?;
    let file = OpenOptions::new().write(true).open(&asked.path)?;
    let block = pattern(asked.size);
    timed(asked, || {
        whole(asked, file.write_at(&block, 0)?)?;
        file.sync_data()
    })
}

fn made(path: &Path, size: usize) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|known| known.len() >= size as u64) {
        return Ok(());
    }
    let mut file = File::create(path)?;
    file.write_all(&pattern(size))?;
    file.sync_all()
}
