//! What `open` prepared.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::wire::{integer, optional_text, text};
use crate::consume::Kind;
use crate::strategies::{self, Operation, Setup, Strategy};

const MOST_PADDING: i64 = 1 << 16;

#[derive(Default)]
pub struct Session {
    pub opened: Option<Opened>,
}

pub struct Opened {
    pub strategy: &'static Strategy,
    pub consume: Kind,
    pub operation: Operation,
    _padding: Vec<u8>, // lies before what the strategy allocates
}

impl Session {
    pub fn open(&mut self, request: &Value) -> Result<(), String> {
        self.opened = None; // its memory and threads go first
        let name = text(request, "strategy")?;
        let strategy = strategies::find(name).ok_or_else(|| format!("unknown strategy {name:?}"))?;
        let inside = |reason: String| format!("{name}: {reason}");
        let padding = match &request["padding"] {
            Value::Null => 0,
            value => integer(value, "padding", 0, MOST_PADDING).map_err(inside)?,
        };
        let padding = vec![0; padding as usize];
        let setup = setup(strategy, request).map_err(inside)?;
        if let Some(why) = strategy.unavailable() {
            return Err(inside(why));
        }
        let consume = setup.consume;
        let operation = (strategy.open)(setup).map_err(|error| inside(error.to_string()))?;
        self.opened = Some(Opened { strategy, consume, operation, _padding: padding });
        Ok(())
    }
}

fn setup(strategy: &'static Strategy, request: &Value) -> Result<Setup, String> {
    let workload = &request["workload"];
    let operation = text(workload, "operation").map_err(|reason| format!("workload.{reason}"))?;
    if operation != strategy.operation {
        return Err(format!("operation must be {:?}, not {operation:?}", strategy.operation));
    }
    let consume = text(workload, "consume")?;
    let consume = *strategy
        .consumes
        .iter()
        .find(|kind| kind.name() == consume)
        .ok_or_else(|| format!("consume must be one of {}, not {consume:?}", listed(strategy.consumes.iter().map(|kind| kind.name()))))?;
    let mut setup = Setup {
        consume,
        mode: one_of(workload, "mode", strategy.modes)?,
        durability: one_of(workload, "durability", strategy.durabilities)?,
        way: strategy.way,
        ..Setup::default()
    };
    let given = request["parameters"].as_object().cloned().unwrap_or_default();
    for parameter in strategy.parameters {
        let value = given.get(parameter.name).ok_or_else(|| format!("parameter {} is missing", parameter.name))?;
        let value = integer(value, &format!("parameter {}", parameter.name), parameter.least, parameter.most)?;
        setup.parameters.push((parameter.name, value as usize));
    }
    if let Some(unknown) = given.keys().find(|name| !strategy.parameters.iter().any(|parameter| parameter.name == *name)) {
        return Err(format!("unknown parameter {unknown}"));
    }
    if strategy.access == "random" {
        let path = optional_text(request, "offsets")?.ok_or("it needs offsets")?;
        setup.offsets = offsets(path).map_err(|reason| format!("offsets {path}: {reason}"))?;
    }
    if strategy.takes_payload() {
        let path = PathBuf::from(optional_text(request, "payload")?.ok_or("it needs a payload")?);
        let failed = |error: std::io::Error| format!("payload {}: {error}", path.display());
        if strategy.operation == "copy" {
            let found = fs::metadata(&path).map_err(failed)?;
            if !found.is_file() {
                return Err(format!("payload {}: not a file", path.display()));
            }
        } else {
            setup.payload = fs::read(&path).map_err(failed)?;
        }
        setup.source = path;
    }
    Ok(setup)
}

/// The positions in a prepared file.
fn offsets(path: &str) -> Result<Vec<u64>, String> {
    let content = fs::read(path).map_err(|error| error.to_string())?;
    let words = content.chunks_exact(8);
    match words.remainder() {
        [] => Ok(words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()),
        _ => Err(format!("{} bytes, not a multiple of 8", content.len())),
    }
}

fn one_of(workload: &Value, key: &str, allowed: &'static [&'static str]) -> Result<&'static str, String> {
    let given = optional_text(workload, key)?;
    match given {
        None if allowed.is_empty() => Ok(""),
        None => Err(format!("{key} is missing; allowed: {}", listed(allowed.iter().copied()))),
        Some(name) => allowed
            .iter()
            .find(|each| **each == name)
            .copied()
            .ok_or_else(|| format!("{key} must be one of {}, not {name:?}", listed(allowed.iter().copied()))),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() { "null only".into() } else { names.join(", ") }
}
