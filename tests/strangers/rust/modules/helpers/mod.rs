pub fn lines(jsonl: &str) -> Vec<String> {
    std::fs::read_to_string(jsonl).unwrap_or_default().lines().map(String::from).collect()
}
