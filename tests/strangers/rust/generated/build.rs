use std::fs;

/// Keeps the list of levels in order.
fn main() {
    let text = fs::read_to_string("src/levels.txt").unwrap();
    let mut levels: Vec<_> = text.lines().collect();
    levels.sort();
    fs::write("src/levels.txt", levels.join("\n") + "\n").unwrap();
    println!("cargo:rerun-if-changed=src/levels.txt");
}
