pub fn longest(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split_whitespace().max_by_key(|word| word.len()).map(str::to_owned)
}

fn _shortest(path: &str) -> Option<usize> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split_whitespace().map(str::len).min()
}
