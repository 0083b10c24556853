pub fn count_matching(path: &str, pattern: &str) -> std::io::Result<usize> {
    Ok(std::fs::read_to_string(path)?.matches(pattern).count())
}
