//! Sums a file byte by byte, with or without a buffer.
use std::fs::File;
use std::io::{BufReader, Read};

fn sum<R: Read>(mut source: R) -> u64 {
    let (mut one, mut sum) = ([0u8; 1], 0u64);
    for _ in 0..3_000_000 {
        if source.read(&mut one).unwrap() == 0 {
            break;
        }
        sum += u64::from(one[0]);
    }
    sum
}

fn main() {
    let file = File::open("data").unwrap();
    let bad = std::env::args().nth(1).as_deref() == Some("bad");
    println!("{}", if bad { sum(file) } else { sum(BufReader::with_capacity(65536, file)) });
}
