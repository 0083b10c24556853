//! Functions of a program that has this runner as a library, and was not written for it. What the two hand each other is plain
//! memory, as C has it: each is compiled for itself, so that the program has its own dependencies, allocator and standard
//! library. `glue/` is the other half.

use std::ffi::c_void;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

use crate::consume::{Kind, Tally};
use crate::strategies::{Operation, Setup, Strategy, READS};

/// A function of the guest's: what it is called, why it is there without a call of it, and what it returns.
#[repr(C)]
pub struct Way {
    name: *const u8,
    name_length: usize,
    shown: *const u8,
    shown_length: usize,
    without: *const u8,
    without_length: usize,
    returns: u8,
    maps: bool,
}

/// What a guest has. A call of a function returns false where it failed.
#[repr(C)]
pub struct Guest {
    ways: *const Way,
    count: usize,
    call: extern "C" fn(way: usize, as_result: bool, path: *const u8, length: usize, sink: *mut c_void, takes: &Takes) -> bool,
    allocated: extern "C" fn() -> u64,
    counts: bool,
}

unsafe impl Sync for Guest {}
unsafe impl Send for Guest {}

/// What a guest does with what its functions return, or with why they failed.
#[repr(C)]
pub struct Takes {
    block: extern "C" fn(*mut c_void, *const u8, usize),
    text: extern "C" fn(*mut c_void, *const u8, usize),
    line: extern "C" fn(*mut c_void, *const u8, usize),
    number: extern "C" fn(*mut c_void, u64),
    failure: extern "C" fn(*mut c_void, *const u8, usize),
}

static GUEST: OnceLock<(&'static Guest, Vec<&'static Strategy>)> = OnceLock::new();
static TAKES: Takes = Takes { block, text, line, number, failure };

/// Serves the host for a guest until that ends.
#[no_mangle]
pub extern "C" fn iogauge_serve(guest: &'static Guest) -> bool {
    let ways = unsafe { std::slice::from_raw_parts(guest.ways, guest.count) };
    let strategies = ways.iter().enumerate().flat_map(|(number, way)| of(number, way)).collect();
    let _ = GUEST.set((guest, strategies));
    crate::harness::serve().map_err(|error| eprintln!("iogauge-runner: {error}")).is_ok()
}

pub fn all() -> Vec<&'static Strategy> {
    GUEST.get().map(|(_, strategies)| strategies.clone()).unwrap_or_default()
}

/// Bytes that this thread of the guest's allocated so far, if it counts them. None without a guest.
pub fn allocated() -> Option<Option<u64>> {
    GUEST.get().map(|(guest, _)| guest.counts.then(|| (guest.allocated)()))
}

/// Its strategy; and another one where it returns what may be the file's, and may be a result of its own.
fn of(number: usize, way: &Way) -> Vec<&'static Strategy> {
    let (name, shown, without) =
        unsafe { (text_of(way.name, way.name_length), text_of(way.shown, way.shown_length), text_of(way.without, way.without_length)) };
    let called = shown.split('(').next().unwrap_or_default();
    let (unit, sums, consumes): (_, _, &[Kind]) = match way.returns {
        b'b' if way.maps => ("file", "byte", &[Kind::Touch, Kind::Sum]),
        b'b' => ("file", "byte", Kind::ALL),
        b't' => ("file", "codepoint", &[Kind::None, Kind::Sum]),
        b'l' => ("line", "line-byte", &[Kind::None, Kind::Sum]),
        _ => ("file", "nothing", &[Kind::None]),
    };
    let first: &Strategy = Box::leak(Box::new(Strategy {
        name: format!("rust/own-{name}").leak(),
        title: format!("{}, of your own", shortened(shown, 46)).leak(),
        call: shortened(shown, 34),
        unit,
        sums,
        consumes,
        mapped: way.maps,
        buffer: Some(if way.maps { "none" } else { "new" }),
        effort: 1,
        compute_only: None,
        way: Some((number, false)),
        without: (!without.is_empty()).then(|| &*format!("{called}() cannot be called: {without}").leak()),
        open,
        ..READS
    }));
    if sums == "nothing" {
        return vec![first];
    }
    let name = format!("{}-as-result", first.name).leak();
    let (unit, sums, consumes, instead_of): (_, _, &[Kind], _) = ("file", "nothing", &[Kind::None], Some(first.name));
    let as_result = Strategy { name, unit, sums, consumes, instead_of, title: first.title, buffer: first.buffer, effort: 1, compute_only: None, open, call: first.call, way: Some((number, true)), ..READS };
    vec![first, Box::leak(Box::new(as_result))]
}

unsafe fn text_of(start: *const u8, length: usize) -> &'static str {
    std::str::from_utf8(bytes(start, length)).unwrap_or("unknown")
}

fn shortened(text: &'static str, most: usize) -> &'static str {
    match text.char_indices().nth(most) {
        Some(_) => format!("{}…", text.chars().take(most - 1).collect::<String>()).leak(),
        None => text,
    }
}

/// What a call reports, and why it failed.
struct Sink<'a> {
    tally: &'a mut Tally,
    failure: String,
}

unsafe fn sink<'a>(given: *mut c_void) -> &'a mut Sink<'a> {
    &mut *given.cast()
}

unsafe fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    std::slice::from_raw_parts(start, length)
}

extern "C" fn block(to: *mut c_void, start: *const u8, length: usize) {
    unsafe { sink(to).tally.block(bytes(start, length)) }
}

extern "C" fn text(to: *mut c_void, start: *const u8, length: usize) {
    unsafe { sink(to).tally.text(std::str::from_utf8_unchecked(bytes(start, length))) }
}

extern "C" fn line(to: *mut c_void, start: *const u8, length: usize) {
    unsafe { sink(to).tally.line(bytes(start, length)) }
}

extern "C" fn number(to: *mut c_void, number: u64) {
    unsafe { sink(to).tally.tell(number) }
}

extern "C" fn failure(to: *mut c_void, start: *const u8, length: usize) {
    unsafe { sink(to).failure = String::from_utf8_lossy(bytes(start, length)).into_owned() }
}

fn open(setup: Setup) -> io::Result<Operation> {
    let (guest, _) = GUEST.get().expect("it has this strategy");
    let (way, as_result) = setup.way.expect("it is a function of the guest's");
    Ok(Box::new(move |path: &Path, tally: &mut Tally| {
        let bytes = path.as_os_str().as_bytes();
        let mut sink = Sink { tally, failure: String::new() };
        match (guest.call)(way, as_result, bytes.as_ptr(), bytes.len(), std::ptr::addr_of_mut!(sink).cast(), &TAKES) {
            true => Ok(()),
            false => Err(io::Error::other(sink.failure)),
        }
    }))
}
