mod helpers;
#[path = "other_name.rs"]
mod numbers;

const UNIT: &str = include_str!("unit.txt");

pub fn total(jsonl: &str) -> Result<f64, std::num::ParseIntError> {
    let mut total = 0.0;
    for line in helpers::lines(jsonl) {
        total += numbers::id(&line)? as f64;
    }
    Ok(total / UNIT.trim().parse::<f64>().unwrap())
}

fn main() {
    println!("{:?}", total("jsonl"));
}
