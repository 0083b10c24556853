mod parse;
mod report;

use parse::level::Level;

fn histogram(path: &str) -> std::io::Result<[u64; 3]> {
    let mut counts = [0; 3];
    for level in parse::levels(path)? {
        counts[level as usize] += 1;
    }
    Ok(counts)
}

fn main() {
    let path = std::env::args().nth(1).expect("a log file");
    let counts = histogram(&path).expect("it can be read");
    report::print(&counts, Level::Error);
}
