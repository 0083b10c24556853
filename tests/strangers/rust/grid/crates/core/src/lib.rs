/// The number in a field; 0 where there is none.
pub fn number(field: &str) -> f64 {
    if cfg!(feature = "strict") {
        field.parse().expect("a number")
    } else {
        field.parse().unwrap_or(0.0)
    }
}
