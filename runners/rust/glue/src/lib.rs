//! What is linked to code of the user's that was not written for iogauge: it calls their functions for the runner, which is a
//! library of its own (`src/guest.rs`), so that this crate needs nothing but the standard library.

mod number;
mod serving;
mod taking;

use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::panic;
use std::path::Path;

pub use number::Numbered;
pub use serving::{add, add_without, main};
pub use taking::{layers, tags, Sink, Tag};

/// The file that a function is given, in each form that it may take.
pub struct Given<'a>(pub(crate) &'a OsStr);

impl<'a> Given<'a> {
    pub fn text(&self) -> &'a str {
        self.0.to_str().unwrap_or_else(|| failed("the path of the file is not UTF-8, so no text has it".into()))
    }

    pub fn path(&self) -> &'a Path {
        Path::new(self.0)
    }

    pub fn os(&self) -> &'a OsStr {
        self.0
    }

    /// Opened plainly. Where that fails, so does the call.
    pub fn file(&self) -> File {
        File::open(self.0).unwrap_or_else(|error| panic::resume_unwind(Box::new(error.to_string())))
    }

    pub fn reader(&self) -> BufReader<File> {
        BufReader::new(self.file())
    }
}

/// Adds a function before the program begins: its name, how it is shown, whether it maps files, and a call of it; or why that does not compile.
#[macro_export]
macro_rules! way {
    ($(#[$when:meta])* $name:literal, $shown:literal, without $why:literal) => {
        $crate::way! { @ $(#[$when])* $crate::add_without($name, $shown, $why) }
    };
    (@ $(#[$when:meta])* $added:expr) => {
        $(#[$when])*
        const _: () = {
            extern "C" fn add() {
                $added;
            }
            #[used]
            #[link_section = ".init_array"]
            static ADD: extern "C" fn() = add;
        };
    };
    ($(#[$when:meta])* $name:literal, $shown:literal, $maps:literal, |$given:ident| $call:expr) => {
        $crate::way! { $(#[$when])* $name, $shown, $maps, |$given, object| (), $call }
    };
    ($(#[$when:meta])* $name:literal, $shown:literal, $maps:literal, |$given:ident, $object:ident| $made:expr, $call:expr) => {
        $crate::way! {
            @ $(#[$when])*
            $crate::add($name, $shown, $maps, |$given: &$crate::Given, sink: &mut $crate::Sink| {
                #[allow(unused_imports)]
                use $crate::{layers::*, tags::*};
                // Not `let`: what the object and the result borrow lives as long.
                match $made {
                    #[allow(unused_mut)]
                    mut $object => match $call {
                        made => match (&&Seen(&made)).iogauge_layer().split(made) {
                            ::core::result::Result::Ok(value) => (&&&&&&&&&&&Seen(&value)).iogauge_tag().take(value, sink),
                            ::core::result::Result::Err(error) => sink.fail((&&&Seen(&error)).iogauge_told().tell(&error)),
                        },
                    },
                }
            })
        }
    };
}

/// What a constructor made; where it failed, the call has failed.
#[macro_export]
macro_rules! made {
    ($call:expr) => {{
        #[allow(unused_imports)]
        use $crate::layers::*;
        match $call {
            made => match (&&Seen(&made)).iogauge_layer().split(made) {
                ::core::result::Result::Ok(value) => value,
                ::core::result::Result::Err(error) => $crate::failed((&&&Seen(&error)).iogauge_told().tell(&error)),
            },
        }
    }};
}

/// What a constructor made that may make nothing.
pub fn some<T>(made: Option<T>) -> T {
    made.unwrap_or_else(|| failed("its constructor made nothing of the file".into()))
}

/// Ends a call as one that failed.
pub fn failed(why: String) -> ! {
    panic::resume_unwind(Box::new(why))
}
