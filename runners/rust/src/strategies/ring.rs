//! O_DIRECT through io_uring: blocks that the kernel knows beforehand, and several requests in flight.

use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;

use io_uring::{opcode, squeue, types, IoUring};

use super::{block, Parameter};

pub const SECTOR: usize = 4096; // what O_DIRECT wants of addresses and lengths, at most

pub const BLOCK: Parameter = Parameter {
    default: 1 << 20,
    least: SECTOR as i64,
    most: 1 << 26,
    tried: &[("device", &[1 << 20, 4 << 20])],
    ..block("bytes of a request, rounded up to a multiple of 4096")
};
pub const DEPTH: Parameter = Parameter {
    name: "depth",
    default: 8,
    least: 1,
    most: 256,
    unit: "count",
    role: "depth",
    says: "requests in flight",
    tried: &[("device", &[4, 32])],
};

/// Why there can be no ring here.
pub fn unavailable() -> Option<String> {
    IoUring::new(2).err().map(|error| format!("io_uring cannot be used: {error}"))
}

/// Memory that begins at a sector, and so at a page; all of it was touched.
pub struct Aligned {
    memory: *mut u8,
    layout: Layout,
}

impl Aligned {
    pub fn new(size: usize) -> io::Result<Aligned> {
        let layout = Layout::from_size_align(size.max(SECTOR), SECTOR).map_err(io::Error::other)?;
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        Ok(Aligned { memory, layout })
    }

    pub fn bytes(&self) -> &[u8] {
        unsafe { std::slice::from_raw_parts(self.memory, self.layout.size()) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        unsafe { std::slice::from_raw_parts_mut(self.memory, self.layout.size()) }
    }
}

// It is its own memory's only owner.
unsafe impl Send for Aligned {}

impl Drop for Aligned {
    fn drop(&mut self) {
        unsafe { dealloc(self.memory, self.layout) }
    }
}

/// A request of one block: where in the file, where in memory, how many bytes.
pub struct Piece {
    pub offset: u64,
    pub at: usize,
    pub length: usize,
}

/// A ring over one piece of memory.
pub struct Ring {
    ring: IoUring,
    memory: ManuallyDrop<Aligned>,
    lost: bool, // requests that did not come back: the device may write to the memory at any time
    depth: usize,
    known: bool, // the kernel has the memory's pages at hand; it takes no more than a user may lock
}

impl Ring {
    pub fn new(memory: Aligned, depth: usize) -> io::Result<Ring> {
        let ring = IoUring::new(depth.next_power_of_two() as u32)?;
        let all = libc::iovec { iov_base: memory.memory.cast(), iov_len: memory.layout.size() };
        let known = unsafe { ring.submitter().register_buffers(&[all]) }.is_ok();
        Ok(Ring { ring, memory: ManuallyDrop::new(memory), lost: false, depth, known })
    }

    /// Has every piece read from the file, or written to it; `slot` says in which of `depth` places of memory a piece may be.
    /// `done(memory, piece, count)` is told of each that came.
    pub fn carry_out(
        &mut self,
        file: &File,
        writes: bool,
        mut next: impl FnMut(usize) -> Option<Piece>,
        mut done: impl FnMut(&[u8], &Piece, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.lost {
            return Err(io::Error::other("an earlier operation lost requests"));
        }
        let mut pieces: Vec<Option<Piece>> = (0..self.depth).map(|_| None).collect();
        let mut free: Vec<usize> = (0..self.depth).rev().collect();
        let mut outcome = Ok(());
        let mut more = true;
        loop {
            while more && outcome.is_ok() {
                let Some(slot) = free.pop() else { break };
                match next(slot) {
                    Some(piece) => {
                        let entry = self.entry(file, writes, &piece).user_data(slot as u64);
                        pieces[slot] = Some(piece);
                        // There are as many entries as slots; the memory lives as long as the ring.
                        unsafe { self.ring.submission().push(&entry).map_err(io::Error::other)? };
                    }
                    None => {
                        free.push(slot);
                        more = false;
                    }
                }
            }
            if free.len() == self.depth {
                return outcome;
            }
            match self.ring.submit_and_wait(1) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => match outcome {
                    Ok(()) => outcome = Err(error), // what is under way has to come back before anything else may use the memory
                    Err(_) => {
                        self.lost = true;
                        return outcome;
                    }
                },
                _ => {}
            }
            for each in self.ring.completion() {
                let slot = each.user_data() as usize;
                free.push(slot);
                let piece = pieces[slot].take().expect("it was asked for");
                let told = match each.result() {
                    count if count < 0 => Err(io::Error::from_raw_os_error(-count)),
                    count => done(self.memory.bytes(), &piece, count as usize),
                };
                outcome = outcome.and(told);
            }
        }
    }

    fn entry(&self, file: &File, writes: bool, piece: &Piece) -> squeue::Entry {
        let (fd, at) = (types::Fd(file.as_raw_fd()), unsafe { self.memory.memory.add(piece.at) });
        let (length, offset) = (piece.length as u32, piece.offset);
        match (writes, self.known) {
            (true, true) => opcode::WriteFixed::new(fd, at, length, 0).offset(offset).build(),
            (true, false) => opcode::Write::new(fd, at, length).offset(offset).build(),
            (false, true) => opcode::ReadFixed::new(fd, at, length, 0).offset(offset).build(),
            (false, false) => opcode::Read::new(fd, at, length).offset(offset).build(),
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.lost {
            return; // the memory is left to the device
        }
        if self.known {
            let _ = self.ring.submitter().unregister_buffers(); // before the memory goes
        }
        unsafe { ManuallyDrop::drop(&mut self.memory) };
    }
}
