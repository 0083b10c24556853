//! The guest's side of `src/guest.rs`: a table of functions for the runner's library, which stands beside the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::any::Any;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void, CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use crate::taking::{Sink, Tag};
use crate::Given;

/// What the runner does with what a function returns.
#[repr(C)]
pub struct Takes {
    pub block: extern "C" fn(*mut c_void, *const u8, usize),
    pub text: extern "C" fn(*mut c_void, *const u8, usize),
    pub line: extern "C" fn(*mut c_void, *const u8, usize),
    pub number: extern "C" fn(*mut c_void, u64),
    pub failure: extern "C" fn(*mut c_void, *const u8, usize),
}

#[repr(C)]
struct Way {
    name: *const u8,
    name_length: usize,
    shown: *const u8,
    shown_length: usize,
    without: *const u8,
    without_length: usize,
    returns: u8,
    maps: bool,
}

#[repr(C)]
struct Guest {
    ways: *const Way,
    count: usize,
    call: extern "C" fn(way: usize, as_result: bool, path: *const u8, length: usize, to: *mut c_void, takes: &Takes) -> bool,
    allocated: extern "C" fn() -> u64,
    counts: bool,
}

type Call = Box<dyn Fn(&Given, &mut Sink) + Send + Sync>;

static ADDED: Mutex<Vec<(&'static str, Way, Call)>> = Mutex::new(Vec::new());
static CALLS: std::sync::OnceLock<Vec<Call>> = std::sync::OnceLock::new();
static PANIC: Mutex<String> = Mutex::new(String::new());

unsafe impl Send for Way {}

extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// Adds a function. The program has not begun: this neither panics nor prints.
pub fn add<T: Tag>(name: &'static str, shown: &'static str, maps: bool, call: impl Fn(&Given, &mut Sink) -> T + Send + Sync + 'static) {
    let call = move |given: &Given, sink: &mut Sink| drop(call(given, sink));
    add_way(name, shown, "", T::KIND, maps && T::KIND == b'b', Box::new(call));
}

/// Adds a function whose call does not compile, with what the compiler says.
pub fn add_without(name: &'static str, shown: &'static str, why: &'static str) {
    add_way(name, shown, why, b'n', false, Box::new(|_: &Given, _: &mut Sink| ()));
}

fn add_way(name: &'static str, shown: &'static str, without: &'static str, returns: u8, maps: bool, call: Call) {
    let (name_length, shown_length, without_length) = (name.len(), shown.len(), without.len());
    let way = Way { name: name.as_ptr(), name_length, shown: shown.as_ptr(), shown_length, without: without.as_ptr(), without_length, returns, maps };
    if let Ok(mut added) = ADDED.lock() {
        added.push((name, way, call));
    }
}

/// Serves the host.
pub fn main() -> ExitCode {
    match serve() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("iogauge-runner: {why}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<bool, String> {
    let mut added = std::mem::take(&mut *ADDED.lock().map_err(|error| error.to_string())?);
    added.sort_by_key(|(name, ..)| *name);
    let (ways, calls): (Vec<_>, Vec<_>) = added.into_iter().map(|(_, way, call)| (way, call)).unzip();
    let _ = CALLS.set(calls);
    let counts = cfg!(feature = "counts");
    let guest: &Guest = Box::leak(Box::new(Guest { ways: ways.as_ptr(), count: ways.len(), call, allocated, counts }));
    ways.leak();
    let library = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("libiogauge_own.so");
    let library = CString::new(library.into_os_string().into_encoded_bytes()).map_err(|error| error.to_string())?;
    const NOW: c_int = 2;
    let serve = unsafe {
        let opened = dlopen(library.as_ptr(), NOW);
        let found = if opened.is_null() { opened } else { dlsym(opened, c"iogauge_serve".as_ptr()) };
        if found.is_null() {
            return Err(CStr::from_ptr(dlerror()).to_string_lossy().into_owned());
        }
        std::mem::transmute::<*mut c_void, extern "C" fn(&'static Guest) -> bool>(found)
    };
    panic::set_hook(Box::new(|about| {
        let said = spoken(about.payload());
        let text = about.location().map_or(said.clone(), |at| format!("{}:{}: {said}", at.file(), at.line()));
        eprintln!("{text}");
        if let Ok(mut first) = PANIC.lock() {
            if first.is_empty() {
                *first = text;
            }
        }
    }));
    Ok(serve(guest))
}

extern "C" fn call(way: usize, as_result: bool, path: *const u8, length: usize, to: *mut c_void, takes: &Takes) -> bool {
    let path = OsStr::from_bytes(unsafe { std::slice::from_raw_parts(path, length) });
    let mut sink = Sink { to, takes, as_result, failed: false };
    let calls = CALLS.get().map_or(&[][..], Vec::as_slice);
    match panic::catch_unwind(AssertUnwindSafe(|| calls[way](&Given(path), &mut sink))) {
        Ok(()) => !sink.failed,
        Err(cause) => {
            let first = PANIC.lock().map(|mut first| std::mem::take(&mut *first)).unwrap_or_default();
            let why = if first.is_empty() { spoken(&*cause) } else { first };
            let why = crate::taking::layers::on_one_line(why);
            (takes.failure)(to, why.as_ptr(), why.len());
            false
        }
    }
}

fn spoken(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().cloned();
    text.or_else(|| cause.downcast_ref::<&str>().map(|&text| text.into())).unwrap_or_else(|| "it panicked".into())
}

thread_local! {
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

extern "C" fn allocated() -> u64 {
    ALLOCATED.with(Cell::get)
}

/// The system's allocator, and a sum per thread of what was asked of it, as the runner's own counts.
pub struct Counting;

#[cfg(feature = "counts")]
#[global_allocator]
static COUNTING: Counting = Counting;

fn count(bytes: usize) {
    ALLOCATED.with(|sum| sum.set(sum.get() + bytes as u64));
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        System.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        System.alloc_zeroed(layout)
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.saturating_sub(layout.size()));
        System.realloc(old, layout, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        System.dealloc(old, layout)
    }
}
