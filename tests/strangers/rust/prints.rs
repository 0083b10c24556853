use std::fs;

pub fn show(path: &std::path::Path) -> std::io::Result<()> {
    for line in fs::read_to_string(path)?.lines().filter(|line| line.ends_with(" 7")) {
        println!("{line}");
    }
    Ok(())
}
