pub async fn load(path: &str) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}
