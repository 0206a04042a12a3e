//! Where PDFs are read: on threads that their callers can leave.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::{DAMAGED, malformed};
use crate::error::FormatError;
use crate::limits::Stop;

/// Room for the library's recursion.
const STACK: usize = 64 * 1024 * 1024;
/// How often a waiting caller looks whether anybody still waits for it.
const LOOK: Duration = Duration::from_millis(50);
/// How long a thread that was left may hold up the next file: it ends after its page, unless the page never ends.
const GRACE: Duration = Duration::from_secs(2);

/// A thread cannot be stopped. One that was left goes on until its page ends, and as long as it does no other is started:
/// otherwise each file that never ends would take a thread with it.
pub(super) struct Desk {
    left: Mutex<Vec<Weak<()>>>,
    ended: Condvar,
}

impl Desk {
    pub(super) const fn new() -> Self {
        Self { left: Mutex::new(Vec::new()), ended: Condvar::new() }
    }

    /// Does some work on a thread of its own, until it is done or nobody waits any more.
    pub(super) fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce() -> T + Send + 'static,
        stop: &Stop,
    ) -> Result<T, FormatError> {
        self.admit()?;
        let (sender, receiver) = channel();
        let here = Arc::new(());
        let there = Arc::clone(&here);
        let work = move || {
            // Nobody listens once the time has ended.
            let _gone = sender.send(work());
            let held = self.lock();
            drop(there);
            drop(held);
            self.ended.notify_all();
        };
        let thread = std::thread::Builder::new().name("pdf".to_owned()).stack_size(STACK);
        thread.spawn(work).map_err(|error| FormatError::Source(error.to_string()))?;
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(outcome) => return Ok(outcome),
                Err(RecvTimeoutError::Timeout) if stop.is_set() => {
                    self.lock().push(Arc::downgrade(&here));
                    return Err(FormatError::Time);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(malformed("the document", DAMAGED));
                }
            }
        }
    }

    /// Waits a little for threads that were left.
    fn admit(&self) -> Result<(), FormatError> {
        let any_left = |left: &mut Vec<Weak<()>>| {
            left.retain(|one| one.strong_count() > 0);
            !left.is_empty()
        };
        let waited = self.ended.wait_timeout_while(self.lock(), GRACE, any_left);
        let (left, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(left);
        if waited.timed_out() { Err(FormatError::Busy) } else { Ok(()) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<()>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use countersign_failure::{Class, Failure as _};

    use super::Desk;
    use crate::error::FormatError;
    use crate::limits::Stop;

    #[test]
    fn f_099_a_file_that_never_ends_takes_one_thread_and_no_more() {
        static DESK: Desk = Desk::new();
        let (release, wait) = channel::<()>();
        let stop = Stop::default();
        stop.now();
        let endless = move || wait.recv().is_ok();
        assert_eq!(DESK.run(endless, &stop), Err(FormatError::Time));
        let next = DESK.run(|| unreachable!("no thread is started"), &Stop::default());
        let error: FormatError = next.map(|(): ()| ()).unwrap_err();
        assert_eq!((error.code(), error.class()), ("FILE_BUSY", Class::Retryable));
        release.send(()).unwrap();
        // It waits for the thread, which ends now.
        assert_eq!(DESK.run(|| 7, &Stop::default()), Ok(7));
    }

    #[test]
    fn f_099_work_that_panics_is_a_damaged_file_and_holds_nobody_up() {
        static DESK: Desk = Desk::new();
        let panics = || -> () { panic!("damaged") };
        let error = DESK.run(panics, &Stop::default()).unwrap_err();
        assert_eq!(error.code(), "FILE_MALFORMED");
        assert_eq!(DESK.run(|| 7, &Stop::default()), Ok(7));
    }
}
