//! Functions of the user's as strategies.

use std::io;
use std::sync::Mutex;

use crate::consume::Kind;
use crate::strategies::{Strategy, READS};

pub use crate::strategies::{Operation, Setup};

static ADDED: Mutex<Vec<&'static Strategy>> = Mutex::new(Vec::new());

/// Adds a function of a path and a `&mut Tally` that reads the file there and hands all its bytes to the tally, in order.
#[macro_export]
macro_rules! bytes {
    ($function:ident) => {
        $crate::own::add(stringify!($function), $crate::own::Told::Bytes, |_| Ok(Box::new($function)))
    };
}

/// Adds a function that hands each line of the file to the tally, without its end.
#[macro_export]
macro_rules! lines {
    ($function:ident) => {
        $crate::own::add(stringify!($function), $crate::own::Told::Lines, |_| Ok(Box::new($function)))
    };
}

/// Adds a function of a path alone that makes of the file what it likes, and returns that. It hands over nothing of what it
/// read, so nobody checks how much that is.
#[macro_export]
macro_rules! anything {
    ($function:ident) => {
        $crate::own::add(stringify!($function), $crate::own::Told::Nothing, |_| {
            Ok(Box::new(|path: &std::path::Path, _: &mut $crate::Tally| {
                $function(path).map(|made| drop(std::hint::black_box(made)))
            }))
        })
    };
}

/// What a function hands over of the file.
pub enum Told {
    Bytes,
    Lines,
    Nothing,
}

/// The buffer is new and the data are copied, as far as anybody knows.
pub fn add(name: &'static str, told: Told, open: fn(Setup) -> io::Result<Operation>) {
    let (unit, sums, consumes): (_, _, &[Kind]) = match told {
        Told::Bytes => ("block", "byte", Kind::ALL),
        Told::Lines => ("line", "line-byte", &[Kind::None, Kind::Sum]),
        Told::Nothing => ("file", "nothing", &[Kind::None]),
    };
    let own = Strategy {
        name: format!("rust/own-{}", name.replace('_', "-")).leak(),
        title: format!("{name}, of your own").leak(),
        call: name,
        unit,
        sums,
        consumes,
        buffer: Some("new"),
        effort: 1,
        compute_only: None,
        open,
        ..READS
    };
    ADDED.lock().expect("nobody panics with it").push(Box::leak(Box::new(own)));
}

pub fn all() -> Vec<&'static Strategy> {
    ADDED.lock().expect("nobody panics with it").clone()
}
