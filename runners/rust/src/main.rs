//! Carries out Rust's strategies of reading, writing and copying files for the iogauge host, which it talks to over its
//! standard input and output as docs/wire.md says.

mod consume;
mod harness;
mod strategies;

use std::process::ExitCode;

#[global_allocator]
static COUNTING: harness::counters::Counting = harness::counters::Counting;

fn main() -> ExitCode {
    match harness::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("iogauge-runner: {error}");
            ExitCode::FAILURE
        }
    }
}
