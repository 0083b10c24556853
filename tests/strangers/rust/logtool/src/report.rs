use crate::parse::level::Level;

pub fn print(counts: &[u64], worst: Level) {
    println!("{counts:?}, worst: {worst:?} {}", include_str!("footer.txt"));
}
