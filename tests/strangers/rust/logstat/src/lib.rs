pub mod errors;
mod words;

pub use words::longest;

pub fn total(path: &std::path::Path) -> std::io::Result<u64> {
    Ok(std::fs::metadata(path)?.len() + errors::count(path)? as u64)
}
