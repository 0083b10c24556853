/// The first number of a line.
pub fn id(line: &str) -> Result<u64, std::num::ParseIntError> {
    let digits: String = line.chars().skip_while(|each| !each.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse()
}
