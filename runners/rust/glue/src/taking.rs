//! Takes what a function returns, whatever it is. What its type can do is found out where the call stands: of several traits with
//! a method of the same name, the compiler takes the one that needs the fewest references to be taken away.

use std::ffi::c_void;
use std::hint::black_box;

use crate::number::Numbered;
use crate::serving::Takes;

/// Where what a function returned goes.
pub struct Sink<'a> {
    pub(crate) to: *mut c_void,
    pub(crate) takes: &'a Takes,
    pub(crate) as_result: bool,
    pub(crate) failed: bool,
}

impl Sink<'_> {
    pub fn fail<T: Tag>(&mut self, why: String) -> T {
        self.failed = true;
        (self.takes.failure)(self.to, why.as_ptr(), why.len());
        T::default()
    }

    fn block(&mut self, bytes: &[u8]) {
        (self.takes.block)(self.to, bytes.as_ptr(), bytes.len());
    }

    fn text(&mut self, text: &str) {
        (self.takes.text)(self.to, text.as_ptr(), text.len());
    }

    #[inline]
    fn line(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\n").map_or(line, |rest| rest.strip_suffix(b"\r").unwrap_or(rest));
        (self.takes.line)(self.to, line.as_ptr(), line.len());
    }

    fn number(&mut self, number: Option<u64>) {
        if let Some(number) = number {
            (self.takes.number)(self.to, number);
        }
    }
}

/// What a function returns, as a type: `KIND` is for the host.
pub trait Tag: Default {
    const KIND: u8;
}

/// Whether a value may be an error instead, and how that is told.
pub mod layers {
    use std::fmt::{Debug, Display};

    #[derive(Default)]
    pub struct Fallible;
    #[derive(Default)]
    pub struct Plain;
    pub enum Never {}

    /// Seen from here, references to a value are not taken for the value.
    pub struct Seen<'a, T>(pub &'a T);

    impl Fallible {
        pub fn split<T, E>(self, made: Result<T, E>) -> Result<T, E> {
            made
        }
    }

    impl Plain {
        pub fn split<T>(self, made: T) -> Result<T, Never> {
            Ok(made)
        }
    }

    pub trait ResultLayer {
        fn iogauge_layer(&self) -> Fallible {
            Fallible
        }
    }
    impl<T, E> ResultLayer for &Seen<'_, Result<T, E>> {}

    pub trait PlainLayer {
        fn iogauge_layer(&self) -> Plain {
            Plain
        }
    }
    impl<T> PlainLayer for Seen<'_, T> {}

    pub struct Displayed;
    pub struct Debugged;
    pub struct Silent;

    impl Displayed {
        pub fn tell<E: Display + ?Sized>(self, error: &E) -> String {
            on_one_line(format!("{error:#}"))
        }
    }

    impl Debugged {
        pub fn tell<E: Debug + ?Sized>(self, error: &E) -> String {
            on_one_line(format!("{error:?}"))
        }
    }

    impl Silent {
        pub fn tell<E: ?Sized>(self, _: &E) -> String {
            "it returns an error".into()
        }
    }

    pub(crate) fn on_one_line(text: String) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub trait DisplayedError {
        fn iogauge_told(&self) -> Displayed {
            Displayed
        }
    }
    impl<E: Display> DisplayedError for &&Seen<'_, E> {}

    pub trait DebuggedError {
        fn iogauge_told(&self) -> Debugged {
            Debugged
        }
    }
    impl<E: Debug> DebuggedError for &Seen<'_, E> {}

    pub trait SilentError {
        fn iogauge_told(&self) -> Silent {
            Silent
        }
    }
    impl<E> SilentError for Seen<'_, E> {}
}

/// What a value is, the most telling first.
pub mod tags {
    use super::*;

    macro_rules! tags {
        ($($tag:ident $kind:literal;)*) => {
            $(#[derive(Default)]
            pub struct $tag;
            impl Tag for $tag {
                const KIND: u8 = $kind;
            })*
        };
    }

    tags! { Number b'n'; Text b't'; Bytes b'b'; DisplayedLines b'l'; FallibleLines b'l'; Lines b'l'; DisplayedItems b'n'; FallibleItems b'n'; Items b'n'; Anything b'n'; }

    impl Number {
        pub fn take<T: Numbered>(self, value: T, sink: &mut Sink) -> Self {
            sink.number(black_box(&value).number());
            self
        }
    }

    impl Text {
        pub fn take<T: AsRef<str>>(self, value: T, sink: &mut Sink) -> Self {
            match sink.as_result {
                true => sink.number(black_box(&value).as_ref().number()),
                false => sink.text(value.as_ref()),
            }
            self
        }
    }

    impl Bytes {
        pub fn take<T: AsRef<[u8]>>(self, value: T, sink: &mut Sink) -> Self {
            match sink.as_result {
                true => sink.number(black_box(&value).as_ref().number()),
                false => sink.block(value.as_ref()),
            }
            self
        }
    }

    // By how an error is told.
    macro_rules! fallible {
        ($lines:ident $items:ident $told:path, $format:literal) => {
            impl $lines {
                pub fn take<E: $told, L: AsRef<[u8]>, T: IntoIterator<Item = Result<L, E>>>(self, value: T, sink: &mut Sink) -> Self {
                    for each in value {
                        match each {
                            Err(error) => return sink.fail(layers::on_one_line(format!($format, error))),
                            Ok(line) if sink.as_result => drop(black_box(line)),
                            Ok(line) => sink.line(line.as_ref()),
                        }
                    }
                    self
                }
            }

            impl $items {
                pub fn take<E: $told, L, T: Iterator<Item = Result<L, E>>>(self, value: T, sink: &mut Sink) -> Self {
                    let mut count = 0usize;
                    for each in value {
                        match each {
                            Err(error) => return sink.fail(layers::on_one_line(format!($format, error))),
                            Ok(item) => drop(black_box(item)),
                        }
                        count += 1;
                    }
                    sink.number(count.number());
                    self
                }
            }
        };
    }

    fallible!(DisplayedLines DisplayedItems std::fmt::Display, "{:#}");
    fallible!(FallibleLines FallibleItems std::fmt::Debug, "{:?}");

    impl Lines {
        pub fn take<L: AsRef<[u8]>, T: IntoIterator<Item = L>>(self, value: T, sink: &mut Sink) -> Self {
            for each in value {
                match sink.as_result {
                    true => drop(black_box(each)),
                    false => sink.line(each.as_ref()),
                }
            }
            self
        }
    }

    impl Items {
        pub fn take<T: Iterator>(self, value: T, sink: &mut Sink) -> Self {
            let mut count = 0usize;
            for each in value {
                black_box(each);
                count += 1;
            }
            sink.number(count.number());
            self
        }
    }

    impl Anything {
        pub fn take<T>(self, value: T, _: &mut Sink) -> Self {
            black_box(&value);
            self
        }
    }

    macro_rules! found {
        ($($trait:ident $tag:ident [$($generics:tt)*] ($($references:tt)*) $for:ty;)*) => {
            $(pub trait $trait {
                fn iogauge_tag(&self) -> $tag {
                    $tag
                }
            }
            impl<$($generics)*> $trait for $($references)* layers::Seen<'_, $for> {})*
        };
    }

    found! {
        OptionTag Number [T: Numbered] (&&&&&&&&&&) Option<T>;
        ArrayTag Number [T: Numbered, const N: usize] (&&&&&&&&&&) [T; N];
        TextTag Text [T: AsRef<str>] (&&&&&&&&&) T;
        BytesTag Bytes [T: AsRef<[u8]>] (&&&&&&&&) T;
        DisplayedLinesTag DisplayedLines [E: std::fmt::Display, L: AsRef<[u8]>, T: IntoIterator<Item = Result<L, E>>] (&&&&&&&) T;
        FallibleLinesTag FallibleLines [E: std::fmt::Debug, L: AsRef<[u8]>, T: IntoIterator<Item = Result<L, E>>] (&&&&&&) T;
        LinesTag Lines [L: AsRef<[u8]>, T: IntoIterator<Item = L>] (&&&&&) T;
        DisplayedItemsTag DisplayedItems [E: std::fmt::Display, L, T: Iterator<Item = Result<L, E>>] (&&&&) T;
        FallibleItemsTag FallibleItems [E: std::fmt::Debug, L, T: Iterator<Item = Result<L, E>>] (&&&) T;
        ItemsTag Items [T: Iterator] (&&) T;
        NumberTag Number [T: Numbered] (&) T;
        AnythingTag Anything [T] () T;
    }
}
