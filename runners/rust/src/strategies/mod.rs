//! The strategies: one file each, found by itself. This module says what a strategy is.

automod::dir!("src/strategies");

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{json, Map, Value};

use crate::consume::{Kind, Tally};
use crate::{guest, own};

/// One way to do the I/O. docs/wire.md describes every field.
pub struct Strategy {
    pub name: &'static str,
    pub title: &'static str,
    pub call: &'static str,
    pub operation: &'static str,
    pub unit: &'static str,
    pub medium: &'static str,
    /// sequential, or random: it reads a piece at each offset.
    pub access: &'static str,
    pub sums: &'static str,
    pub consumes: &'static [Kind],
    pub modes: &'static [&'static str],
    pub durabilities: &'static [&'static str],
    /// plain, or gzip: what the file holds.
    pub format: &'static str,
    pub parameters: &'static [Parameter],
    pub effort: u8,
    pub role: &'static str,
    pub bypasses_cache: bool,
    pub mapped: bool,
    /// new, reused or none; of a mapping only where the data are copied out of it.
    pub buffer: Option<&'static str>,
    pub compute_only: Option<&'static str>,
    pub memory_per_file_byte: f64,
    /// What a file may have that it reads otherwise than it is, or refuses.
    pub trips_on: &'static [&'static str],
    /// The strategy of the same function of the user's in whose place this one may be measured.
    pub instead_of: Option<&'static str>,
    /// Which function of the guest's it calls, and whether its result is one of its own.
    pub way: Option<(usize, bool)>,
    /// Why that function cannot be called.
    pub without: Option<&'static str>,
    /// Why it cannot run here.
    pub unavailable: Option<fn() -> Option<String>>,
    /// Untimed preparation; what it returns is timed.
    pub open: fn(Setup) -> io::Result<Operation>,
}

pub struct Parameter {
    pub name: &'static str,
    pub default: i64,
    pub least: i64,
    pub most: i64,
    /// bytes, chars, count or switch.
    pub unit: &'static str,
    /// What the value means to a measurement: piece, buffer, parallel, depth, switch or other.
    pub role: &'static str,
    pub says: &'static str,
    /// Of a ceiling, the values to try, by where its data goes: warm, device, synchronous, append.
    pub tried: &'static [(&'static str, &'static [i64])],
}

impl Parameter {
    fn declared(&self) -> Value {
        let tried: Map<_, _> = self.tried.iter().map(|(place, values)| ((*place).into(), json!(values))).collect();
        json!({
            "default": self.default, "min": self.least, "max": self.most, "unit": self.unit, "role": self.role, "says": self.says, "tried": tried,
        })
    }
}

/// What `open` was given.
#[derive(Default)]
pub struct Setup {
    pub parameters: Vec<(&'static str, usize)>,
    pub payload: Vec<u8>, // what to write, or to read in memory
    pub source: PathBuf,  // the payload's path: what to copy
    pub offsets: Vec<u64>, // where to read
    pub consume: Kind,
    pub mode: &'static str,
    pub durability: &'static str,
    pub way: Option<(usize, bool)>,
}

impl Setup {
    /// The value of a declared parameter.
    pub fn value(&self, name: &str) -> usize {
        self.parameters.iter().find(|(each, _)| *each == name).expect("every declared parameter was given").1
    }

    /// Memory of this size that the program owns.
    pub fn memory(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut memory = Vec::new();
        memory.try_reserve_exact(self.value(name))?;
        memory.resize(self.value(name), 0);
        Ok(memory)
    }
}

/// Works on one file, and tells the tally what it delivered or moved.
pub type Operation = Box<dyn FnMut(&Path, &mut Tally) -> io::Result<()>>;

inventory::collect!(Strategy);

impl Strategy {
    pub fn takes_payload(&self) -> bool {
        self.operation != "read" || self.medium == "memory"
    }

    pub fn unavailable(&self) -> Option<String> {
        self.without.map(str::to_owned).or_else(|| self.unavailable.and_then(|why| why()))
    }

    /// As `list` tells it.
    pub fn declared(&self) -> Value {
        let parameters: Map<_, _> = self.parameters.iter().map(|each| (each.name.into(), each.declared())).collect();
        json!({
            "name": self.name,
            "title": self.title,
            "call": self.call,
            "operation": self.operation,
            "unit": self.unit,
            "medium": self.medium,
            "access": self.access,
            "sums": self.sums,
            "consumes": self.consumes.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "modes": self.modes,
            "durabilities": self.durabilities,
            "format": self.format,
            "parameters": parameters,
            "effort": self.effort,
            "role": self.role,
            "bypasses_cache": self.bypasses_cache,
            "mapped": self.mapped,
            "buffer": self.buffer.or(self.mapped.then_some("none")),
            "data": (self.operation == "read").then_some(if self.mapped && self.buffer.is_none() { "borrowed" } else { "copied" }),
            "opens": (self.medium == "file").then_some("each"),
            "trips_on": self.trips_on,
            "instead_of": self.instead_of,
            "compute_only": self.compute_only,
            "needs": { "memory_per_file_byte": self.memory_per_file_byte, "runtime": null },
            "unavailable": self.unavailable(),
        })
    }
}

pub fn all() -> Vec<&'static Strategy> {
    let mut all: Vec<_> = inventory::iter::<Strategy>.into_iter().chain(own::all()).chain(guest::all()).collect();
    all.sort_by_key(|each| each.name);
    all
}

/// Lets go of what outlives an operation: only the mappings that a ceiling keeps.
pub fn release() {
    ceiling_mmap::release();
}

pub fn find(name: &str) -> Option<&'static Strategy> {
    all().into_iter().find(|each| each.name == name)
}

// --------------------------------------------------------------------------------------- what many of them share

/// A contestant that reads a file in blocks. Others change what differs.
pub const READS: Strategy = Strategy {
    name: "",
    title: "",
    call: "",
    operation: "read",
    unit: "block",
    medium: "file",
    access: "sequential",
    sums: "byte",
    consumes: Kind::ALL,
    modes: &[],
    durabilities: &[],
    format: "plain",
    parameters: &[],
    effort: 2,
    role: "contestant",
    bypasses_cache: false,
    mapped: false,
    buffer: None, // every contestant has its own
    compute_only: Some("rust/consume-slice"),
    memory_per_file_byte: 0.0,
    trips_on: &[],
    instead_of: None,
    way: None,
    without: None,
    unavailable: None,
    open: |_| unreachable!("every strategy has its own"),
};

/// A contestant that reads a block at each offset. What it reads through a mapping has no `none`.
pub const READS_AT_RANDOM: Strategy =
    Strategy { access: "random", parameters: &[block("bytes that are read at each offset")], effort: 3, ..READS };

/// A contestant that writes a file through an open `File`.
pub const WRITES: Strategy = Strategy {
    operation: "write",
    consumes: &[Kind::None],
    modes: &["truncate", "append"],
    durabilities: &["none", "fsync", "fdatasync", "dsync"],
    compute_only: None,
    ..READS
};

/// A contestant that copies a file into a new one.
pub const COPIES: Strategy = Strategy { operation: "copy", modes: &["truncate"], durabilities: &["none"], effort: 1, unit: "file", ..WRITES };

/// Bytes of a regular file; directories and devices may claim to be empty.
pub fn size_of(file: &File) -> io::Result<u64> {
    let about = file.metadata()?;
    match about.is_file() {
        true => Ok(about.len()),
        false => Err(io::Error::other("is not a regular file")),
    }
}

pub const fn block(says: &'static str) -> Parameter {
    Parameter { name: "block", default: 8192, least: 1, most: 1 << 30, unit: "bytes", role: "piece", says, tried: &[] }
}

/// The default is that of std::io.
pub const fn buffer(says: &'static str) -> Parameter {
    Parameter { name: "buffer", default: 8192, least: 1, most: 1 << 30, unit: "bytes", role: "buffer", says, tried: &[] }
}

/// The host tries as many as the machine and its cases have.
pub const fn threads() -> Parameter {
    let says = "threads that work at the same time";
    Parameter { name: "threads", default: 1, least: 1, most: 256, unit: "count", role: "parallel", says, tried: &[] }
}

/// Off unless it is 1.
pub const fn switch(name: &'static str, says: &'static str, tried: &'static [(&'static str, &'static [i64])]) -> Parameter {
    Parameter { name, default: 0, least: 0, most: 1, unit: "switch", role: "switch", says, tried }
}

/// The blocks that a ceiling tries: in the page cache, and where the device is waited for.
pub const BLOCKS_TRIED: &[(&str, &[i64])] = &[("warm", &[64 << 10, 256 << 10, 1 << 20]), ("device", &[128 << 10, 1 << 20])];
