pub fn add(a: usize, b: usize) -> usize {
    a + b
}

fn main() {
    println!("{}", add(1, 2));
}
