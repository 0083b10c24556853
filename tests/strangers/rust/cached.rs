use std::sync::OnceLock;

static KEPT: OnceLock<usize> = OnceLock::new();

pub fn lines(path: &str) -> usize {
    *KEPT.get_or_init(|| std::fs::read_to_string(path).unwrap().lines().count())
}
