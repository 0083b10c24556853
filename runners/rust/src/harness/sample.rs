//! Spans: some operations between two readings of the clock.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{json, Value};

use super::session::{Opened, Session};
use super::wire::{integer, spoken};
use super::{counters, faults};
use crate::consume::Tally;

const MOST_OPERATIONS: i64 = 1 << 40;
const MOST_SPANS: i64 = 1 << 20;

pub fn take(session: &mut Session, request: &Value) -> Result<Value, String> {
    let opened = session.opened.as_mut().ok_or("sample before open: no strategy is open")?;
    let operations = integer(&request["operations"], "operations", 1, MOST_OPERATIONS)? as usize;
    let spans = integer(&request["spans"], "spans", 1, MOST_SPANS)? as usize;
    let paths = paths(request, operations.saturating_mul(spans))?;
    let each = if paths.len() > 1 { operations } else { 0 }; // paths per span

    let (mut ns, mut counts, mut sums) = (Vec::with_capacity(spans), Vec::with_capacity(spans), Vec::with_capacity(spans));
    let mut allocated = Vec::with_capacity(spans);
    for number in 0..spans {
        let mut tally = Tally::new(opened.consume);
        let before = counters::allocated();
        ns.push(span(opened, operations, &paths[number * each..], &mut tally)?);
        allocated.push(counters::allocated().zip(before).map(|(after, before)| after - before));
        counts.push(tally.count());
        sums.push(tally.sum());
    }
    Ok(json!({
        "verb": "sample",
        "ns": ns,
        "operations": vec![operations; spans],
        "count": counts,
        "sum": sums.into_iter().collect::<Option<Vec<_>>>(),
        "counters": { "allocated_bytes": allocated.into_iter().collect::<Option<Vec<_>>>(), "gc_ns": null, "gc_count": null },
    }))
}

fn paths(request: &Value, many: usize) -> Result<Vec<PathBuf>, String> {
    let given = request["paths"].as_array().ok_or("paths must be a list of strings")?;
    if given.len() != 1 && given.len() != many {
        return Err(format!("paths must hold 1 path or operations × spans = {many}, not {}", given.len()));
    }
    given.iter().map(|path| path.as_str().map(PathBuf::from).ok_or_else(|| format!("paths must be strings, not {path}"))).collect()
}

/// ns of so many operations.
fn span(opened: &mut Opened, operations: usize, paths: &[PathBuf], tally: &mut Tally) -> Result<u64, String> {
    let step = usize::from(paths.len() > 1);
    let mut at = 0;
    let timed = panic::catch_unwind(AssertUnwindSafe(|| -> io::Result<u64> {
        let start = Instant::now();
        for number in 0..operations {
            at = number * step;
            tally.next_file();
            (opened.operation)(&paths[at], tally)?;
        }
        Ok(start.elapsed().as_nanos() as u64)
    }));
    let lost = faults::happened();
    let because = |reason: &str| format!("{}: {}: {reason}", opened.strategy.name, Path::new(&paths[at]).display());
    match timed {
        Ok(Ok(_)) if lost => Err(because("a mapped page was not there: the file was truncated meanwhile, or no space is left on the disk")),
        Ok(Ok(ns)) => Ok(ns),
        Ok(Err(error)) => Err(because(&error.to_string())),
        Err(cause) => Err(because(&spoken(&*cause))),
    }
}
