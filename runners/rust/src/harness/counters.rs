//! What a span allocated: Rust keeps no books of it, so the runner's allocator counts on its way to the system's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::guest;

thread_local! {
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, and a sum per thread of what was asked of it.
pub struct Counting;

fn count(bytes: usize) {
    ALLOCATED.with(|sum| sum.set(sum.get() + bytes as u64));
}

/// Bytes that this thread allocated so far; of what grows, the growth. A program that has this runner as a library has an
/// allocator of its own, and tells; None where it does not count.
pub fn allocated() -> Option<u64> {
    match guest::allocated() {
        Some(counted) => counted,
        None => Some(ALLOCATED.with(Cell::get)),
    }
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
