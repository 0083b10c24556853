pub fn first_number(path: &str) -> u64 {
    let text = std::fs::read_to_string(path).unwrap();
    text.split(' ').next().unwrap().parse().expect("a number")
}
