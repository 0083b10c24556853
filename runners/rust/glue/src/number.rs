//! A number that is the same for the same result, so that those of two functions can be compared. It is part of the time of a
//! call: results with many items have none.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

const MOST_ITEMS: usize = 100;
const MOST_BYTES: usize = 1000;
const LEFT: u32 = 22; // bits of a fraction: sums in another order differ in the last ones

/// What has such a number.
pub trait Numbered {
    fn number(&self) -> Option<u64>;
}

fn mixed(one: u64, other: u64) -> u64 {
    (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn of_bytes(bytes: &[u8]) -> Option<u64> {
    (bytes.len() <= MOST_BYTES).then(|| bytes.iter().fold(bytes.len() as u64, |sum, &byte| mixed(sum, byte.into())))
}

fn of_items<'a, T: Numbered + 'a>(items: impl ExactSizeIterator<Item = &'a T>) -> Option<u64> {
    let length = items.len();
    if length > MOST_ITEMS {
        return None;
    }
    items.into_iter().try_fold(length as u64, |sum, each| Some(mixed(sum, each.number()?)))
}

/// In any order.
fn of_pairs<'a, K: Numbered + 'a, V: Numbered + 'a>(items: impl ExactSizeIterator<Item = (&'a K, &'a V)>) -> Option<u64> {
    let length = items.len();
    if length > MOST_ITEMS {
        return None;
    }
    items.into_iter().try_fold(length as u64, |sum, (key, value)| Some(sum.wrapping_add(mixed(key.number()?, value.number()?))))
}

macro_rules! integers {
    ($($each:ty)*) => {
        $(impl Numbered for $each {
            fn number(&self) -> Option<u64> {
                Some(mixed(7, *self as u64))
            }
        })*
    };
}

integers!(u8 u16 u32 u64 usize u128 i8 i16 i32 i64 isize i128 bool char);

impl Numbered for f64 {
    fn number(&self) -> Option<u64> {
        Some(mixed(7, self.to_bits().wrapping_add(1 << (LEFT - 1)) >> LEFT))
    }
}

impl Numbered for f32 {
    fn number(&self) -> Option<u64> {
        Some(mixed(7, self.to_bits().into()))
    }
}

impl Numbered for () {
    fn number(&self) -> Option<u64> {
        None
    }
}

impl Numbered for str {
    fn number(&self) -> Option<u64> {
        of_bytes(self.as_bytes())
    }
}

impl Numbered for String {
    fn number(&self) -> Option<u64> {
        of_bytes(self.as_bytes())
    }
}

impl<T: Numbered + ?Sized + ToOwned> Numbered for Cow<'_, T> {
    fn number(&self) -> Option<u64> {
        (**self).number()
    }
}

impl<T: Numbered + ?Sized> Numbered for &T {
    fn number(&self) -> Option<u64> {
        (**self).number()
    }
}

impl<T: Numbered + ?Sized> Numbered for Box<T> {
    fn number(&self) -> Option<u64> {
        (**self).number()
    }
}

impl<T: Numbered> Numbered for Option<T> {
    fn number(&self) -> Option<u64> {
        self.as_ref().map_or(Some(1), |some| Some(mixed(2, some.number()?)))
    }
}

impl<T: Numbered, E> Numbered for Result<T, E> {
    fn number(&self) -> Option<u64> {
        self.as_ref().map_or(Some(3), Numbered::number)
    }
}

impl<T: Numbered> Numbered for [T] {
    fn number(&self) -> Option<u64> {
        of_items(self.iter())
    }
}

impl<T: Numbered> Numbered for Vec<T> {
    fn number(&self) -> Option<u64> {
        of_items(self.iter())
    }
}

impl<T: Numbered, const N: usize> Numbered for [T; N] {
    fn number(&self) -> Option<u64> {
        of_items(self.iter())
    }
}

impl<T: Numbered> Numbered for BTreeSet<T> {
    fn number(&self) -> Option<u64> {
        of_pairs(self.iter().map(|each| (each, &true)))
    }
}

impl<T: Numbered, S> Numbered for HashSet<T, S> {
    fn number(&self) -> Option<u64> {
        of_pairs(self.iter().map(|each| (each, &true)))
    }
}

impl<K: Numbered, V: Numbered> Numbered for BTreeMap<K, V> {
    fn number(&self) -> Option<u64> {
        of_pairs(self.iter())
    }
}

impl<K: Numbered, V: Numbered, S> Numbered for HashMap<K, V, S> {
    fn number(&self) -> Option<u64> {
        of_pairs(self.iter())
    }
}

macro_rules! tuples {
    ($($($each:ident)+;)*) => {
        $(impl<$($each: Numbered),+> Numbered for ($($each,)+) {
            #[allow(non_snake_case)]
            fn number(&self) -> Option<u64> {
                let ($($each,)+) = self;
                let mut sum = 5;
                $(sum = mixed(sum, $each.number()?);)+
                Some(sum)
            }
        })*
    };
}

tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }
