//! Who this is.

use std::time::Instant;

use serde_json::{json, Value};

pub fn hello() -> Value {
    let version = env!("RUSTC_SAYS").split_whitespace().nth(1).unwrap_or("unknown");
    json!({
        "verb": "hello",
        "wire": super::wire::VERSION,
        "runner": "rust",
        "runtime": format!("rust-{version}"),
        "name": env!("RUSTC_SAYS"),
        "version": version,
        "flags": flags(),
        "clock_resolution_ns": clock_resolution(),
    })
}

/// What the build could have been told otherwise, and would matter.
fn flags() -> Vec<String> {
    let mut flags = vec![format!("target={}-{}", std::env::consts::ARCH, std::env::consts::OS)];
    if cfg!(debug_assertions) {
        flags.push("debug".into());
    }
    flags
}

/// The smallest step between two readings of the clock that differ, in ns.
fn clock_resolution() -> u64 {
    let mut smallest = u64::MAX;
    let mut steps = 0;
    while steps < 1000 {
        let before = Instant::now();
        let step = before.elapsed().as_nanos() as u64;
        if step > 0 {
            smallest = smallest.min(step);
            steps += 1;
        }
    }
    smallest
}
