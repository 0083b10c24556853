//! Mapped pages that are not there: touching a page that a file has lost, or that a full disk cannot take, is a signal.
//!
//! The handler puts an empty page in its place, so that the operation goes on, and remembers it; the harness then refuses
//! the sample. Ending the process instead would lose the fork.

use std::sync::atomic::{AtomicBool, Ordering};

static FAULTED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    const PAGE: usize = 4096; // of the smallest kind: larger ones fault again
    unsafe {
        let page = ((*info).si_addr() as usize & !(PAGE - 1)) as *mut libc::c_void;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let given = libc::mmap(page, PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if FAULTED.swap(true, Ordering::Relaxed) && given == libc::MAP_FAILED {
            libc::signal(signal, libc::SIG_DFL); // it happens again, and ends the process
        }
    }
}

pub fn watch() {
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

/// Whether a mapped page was not there since the last call.
pub fn happened() -> bool {
    FAULTED.swap(false, Ordering::Relaxed)
}
