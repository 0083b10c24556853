use std::{env, fs, path::Path};

fn main() {
    let to = Path::new(&env::var("OUT_DIR").unwrap()).join("made.rs");
    fs::write(to, "pub const BLOCK: usize = 1 << 16;\n").unwrap();
    println!("cargo:rerun-if-changed=build.rs");
}
