//! Threads that work together on one file: made at `open`, told what to do by a channel, gone with the operation.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::consume::Tally;

type Job = Arc<dyn Fn(usize) -> io::Result<()> + Send + Sync>;

/// So many threads, the caller's one of them.
pub struct Crew {
    jobs: Vec<Sender<Job>>, // of each other thread
    done: Receiver<io::Result<()>>,
    others: Vec<JoinHandle<()>>,
}

impl Crew {
    pub fn new(threads: usize) -> io::Result<Crew> {
        let (tell, done) = channel();
        let mut crew = Crew { jobs: Vec::new(), done, others: Vec::new() };
        for number in 1..threads {
            let (jobs, mine) = channel::<Job>();
            let tell = tell.clone();
            crew.jobs.push(jobs);
            crew.others.push(thread::Builder::new().spawn(move || {
                for job in mine {
                    let outcome = part(&job, number);
                    drop(job); // with the file it has open, before the operation is over
                    if tell.send(outcome).is_err() {
                        return;
                    }
                }
            })?);
        }
        Ok(crew)
    }

    pub fn size(&self) -> usize {
        self.others.len() + 1
    }

    /// Each thread does its part, by number from 0; returns when all are done, with the first failure.
    pub fn work(&self, job: Job) -> io::Result<()> {
        let mut told = 0;
        for each in &self.jobs {
            told += usize::from(each.send(Arc::clone(&job)).is_ok());
        }
        let mut outcome = part(&job, 0);
        for _ in 0..told {
            outcome = outcome.and(self.done.recv().map_err(io::Error::other)?);
        }
        match told == self.jobs.len() {
            true => outcome,
            false => outcome.and(Err(io::Error::other("a thread has ended"))),
        }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.jobs.clear(); // that is how they know
        for each in self.others.drain(..) {
            let _ = each.join();
        }
    }
}

fn part(job: &Job, number: usize) -> io::Result<()> {
    panic::catch_unwind(AssertUnwindSafe(|| job(number))).unwrap_or_else(|_| Err(io::Error::other("a thread panicked")))
}

const PAGE: u64 = 4096; // parts begin at multiples of it, so that no two threads share a page

/// Has each thread look at its part of so many bytes: `look(thread, from, to)` gives the bytes that it found and their sum.
pub fn in_parts(
    crew: &Crew,
    size: u64,
    tally: &mut Tally,
    look: impl Fn(usize, u64, u64) -> io::Result<(u64, u64)> + Send + Sync + 'static,
) -> io::Result<()> {
    if crew.size() == 1 {
        let (bytes, sum) = look(0, 0, size)?;
        tally.parts(bytes, sum);
        return Ok(());
    }
    let part = size.div_ceil(crew.size() as u64).next_multiple_of(PAGE);
    let found = Arc::new(Mutex::new((0u64, 0u64)));
    let all = Arc::clone(&found);
    crew.work(Arc::new(move |number| {
        let from = size.min(number as u64 * part);
        let (bytes, sum) = look(number, from, size.min(from + part))?;
        let mut all = all.lock().unwrap();
        *all = (all.0 + bytes, all.1.wrapping_add(sum));
        Ok(())
    }))?;
    let (bytes, sum) = *found.lock().unwrap();
    tally.parts(bytes, sum);
    Ok(())
}
