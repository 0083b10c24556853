use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

static USED: AtomicUsize = AtomicUsize::new(0);

struct Watched;

unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        USED.fetch_add(layout.size(), Ordering::Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        System.dealloc(old, layout)
    }
}

#[global_allocator]
static WATCHED: Watched = Watched;

fn frequencies(path: &str) -> std::io::Result<HashMap<String, usize>> {
    let mut found = HashMap::new();
    for word in std::fs::read_to_string(path)?.split_whitespace() {
        *found.entry(word.to_owned()).or_insert(0) += 1;
    }
    Ok(found)
}

fn main() {
    println!("{:?} {}", frequencies("log").map(|found| found.len()), USED.load(Ordering::Relaxed));
}
