//! Carries out Rust's strategies of reading, writing and copying files for the iogauge host, which it talks to over its
//! standard input and output as docs/wire.md says. A crate of the user's has it as `iogauge_own` (docs/your-code.md).

mod consume;
mod guest;
mod harness;
#[doc(hidden)]
pub mod own;
mod strategies;

use std::process::ExitCode;

pub use consume::Tally;

#[global_allocator]
static COUNTING: harness::counters::Counting = harness::counters::Counting;

/// Talks to the host until that ends.
pub fn main() -> ExitCode {
    match harness::serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("iogauge-runner: {error}");
            ExitCode::FAILURE
        }
    }
}
