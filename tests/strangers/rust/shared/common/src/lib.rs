pub fn is_error(line: &[u8]) -> bool {
    line.windows(5).any(|part| part == b"ERROR")
}
