//! Tells the program which compiler it was built with.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var_os("RUSTC").expect("cargo names the compiler");
    let output = Command::new(compiler).arg("--version").output().expect("the compiler runs");
    let said = String::from_utf8(output.stdout).expect("it speaks UTF-8");
    println!("cargo::rustc-env=RUSTC_SAYS={}", said.trim()); // rustc 1.95.0 (59807616e 2026-04-14)
    println!("cargo::rerun-if-changed=build.rs");
}
