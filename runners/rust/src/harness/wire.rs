//! One JSON object per line: requests from the standard input, replies to what was the standard output.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{self, AssertUnwindSafe};

use rustix::stdio;
use serde_json::{json, Value};

use super::session::Session;
use super::{faults, hello, probe, sample};
use crate::strategies;

pub const VERSION: u64 = 3;

const LONGEST_READ: usize = 64 << 10; // what a pipe holds: a request is one read

/// Serves until the standard input ends.
pub fn serve() -> io::Result<()> {
    let mut replies = File::from(stdio::stdout().try_clone_to_owned()?);
    stdio::dup2_stdout(stdio::stderr())?; // whatever a library prints must not end up on the channel
    let mut requests = BufReader::with_capacity(LONGEST_READ, File::from(stdio::stdin().try_clone_to_owned()?));
    faults::watch();
    let mut session = Session::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        requests.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(()); // the end, or the remains of a host that died
        }
        let answered = panic::catch_unwind(AssertUnwindSafe(|| answer(&mut session, &line)))
            .unwrap_or_else(|cause| Err(format!("the runner failed: {}", spoken(&*cause))));
        let mut reply = serde_json::to_vec(&answered.unwrap_or_else(|reason| json!({ "error": reason })))?;
        reply.push(b'\n');
        replies.write_all(&reply)?;
    }
}

fn answer(session: &mut Session, line: &[u8]) -> Result<Value, String> {
    let request: Value = serde_json::from_slice(line).map_err(|error| format!("the request is not JSON: {error}"))?;
    if !request.is_object() {
        return Err("the request is not a JSON object".into());
    }
    match text(&request, "verb")? {
        "hello" => Ok(hello::hello()),
        "list" => Ok(json!({ "verb": "list", "strategies": strategies::all().into_iter().map(strategies::Strategy::declared).collect::<Vec<_>>() })),
        "open" => session.open(&request).map(|()| json!({ "verb": "open" })),
        "sample" => sample::take(session, &request),
        "probe" => probe::take(&request),
        "release" => {
            strategies::release();
            Ok(json!({ "verb": "release" }))
        }
        other => Err(format!("unknown verb {other:?}")),
    }
}

/// What a panic said.
pub fn spoken(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().cloned();
    text.or_else(|| cause.downcast_ref::<&str>().map(|&text| text.into())).unwrap_or_else(|| "it panicked".into())
}

// ------------------------------------------------------------------------------------------------- keys of a request

/// A string that must be there.
pub fn text<'a>(request: &'a Value, key: &str) -> Result<&'a str, String> {
    optional_text(request, key)?.ok_or_else(|| format!("{key} is missing"))
}

pub fn optional_text<'a>(request: &'a Value, key: &str) -> Result<Option<&'a str>, String> {
    match &request[key] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        other => Err(format!("{key} must be a string, not {other}")),
    }
}

/// An integer in this range.
pub fn integer(value: &Value, what: &str, least: i64, most: i64) -> Result<i64, String> {
    match value.as_i64() {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("{what} must be an integer from {least} to {most}, not {value}")),
    }
}
