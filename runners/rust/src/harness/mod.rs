//! Answers the host, times operations, and knows nothing of any strategy.

pub mod counters;
mod faults;
mod hello;
mod probe;
mod sample;
mod session;
mod wire;

pub use wire::serve;
