//! Simulated time. Invocations of functions go on side by side: each makes one request after the other, each request takes its time,
//! and those of the others come in between. An invocation may break off before any of its requests, or be held up there; a request
//! may be lost, its answer may be, and then the client may send it once more.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use jiff::{SignedDuration, Timestamp};
use rand::RngExt as _;
use rand::rngs::StdRng;

use super::pick;

/// One of so many invocations breaks off somewhere, and one of so many is held up.
const TROUBLED: usize = 12;
/// One of so many requests is lost; of as many the answer is, and as many are sent twice.
const ASTRAY: usize = 3_000;

/// A table or a service has not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unanswered;

/// A time, and of what happens at the same time the order in which it was entered.
type Moment = (Timestamp, u64);

/// A function that is invoked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function {
    /// It is ended after so long, whatever it does then.
    pub(super) timeout: SignedDuration,
    /// About so many requests it makes.
    pub(super) requests: usize,
}

/// A function at work.
pub(super) struct Invocation<'w> {
    work: Pin<Box<dyn Future<Output = ()> + 'w>>,
    ends: Timestamp,
    /// How many requests it has made.
    requests: usize,
    breaks_at: Option<usize>,
    stalls_at: Option<usize>,
}

/// The clock of everything that happens, and what is to come.
pub(super) struct Timeline<E> {
    now: Cell<Timestamp>,
    random: RefCell<StdRng>,
    agenda: RefCell<BTreeMap<Moment, E>>,
    entered: Cell<u64>,
    broken: Cell<usize>,
}

impl<E> Timeline<E> {
    pub(super) fn new(start: Timestamp, random: StdRng) -> Self {
        Self {
            now: Cell::new(start),
            random: RefCell::new(random),
            agenda: RefCell::new(BTreeMap::new()),
            entered: Cell::new(0),
            broken: Cell::new(0),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now.get()
    }

    /// How many invocations broke off.
    pub(super) fn broken(&self) -> usize {
        self.broken.get()
    }

    /// A number below this one.
    pub(super) fn below(&self, most: usize) -> usize {
        self.random.borrow_mut().random_range(0..most)
    }

    pub(super) fn is_one_of(&self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(super) fn seconds(&self, between: Range<i64>) -> SignedDuration {
        SignedDuration::from_secs(self.random.borrow_mut().random_range(between))
    }

    pub(super) fn pick<T: Copy>(&self, from: &[T]) -> T {
        pick(&mut self.random.borrow_mut(), from)
    }

    /// Has something happen at this time; at once, if that has passed.
    pub(super) fn put(&self, at: Timestamp, event: E) {
        let moment = self.moment(at.max(self.now()));
        self.agenda.borrow_mut().insert(moment, event);
    }

    fn moment(&self, at: Timestamp) -> Moment {
        self.entered.set(self.entered.get() + 1);
        (at, self.entered.get())
    }

    /// Lets time pass until nothing goes on and nothing is to come. `happens` says which functions an event invokes.
    pub(super) fn pass<'w>(&self, happens: impl Fn(E) -> Vec<Invocation<'w>>) {
        let mut under_way: BTreeMap<Moment, Invocation<'w>> = BTreeMap::new();
        while let Some(moment) = self.soonest(&under_way) {
            self.now.set(moment.0);
            let event = self.agenda.borrow_mut().remove(&moment);
            for invoked in event.map(&happens).unwrap_or_default() {
                under_way.insert(self.moment(moment.0), invoked);
            }
            if let Some(invocation) = under_way.remove(&moment) {
                self.go_on(invocation, &mut under_way);
            }
        }
    }

    fn soonest(&self, under_way: &BTreeMap<Moment, Invocation<'_>>) -> Option<Moment> {
        let to_come = self.agenda.borrow().first_key_value().map(|(moment, _)| *moment);
        let going_on = under_way.first_key_value().map(|(moment, _)| *moment);
        to_come.into_iter().chain(going_on).min()
    }

    /// Goes on to the next request.
    fn go_on<'w>(
        &self,
        mut invocation: Invocation<'w>,
        under_way: &mut BTreeMap<Moment, Invocation<'w>>,
    ) {
        let is_broken = invocation.breaks_at == Some(invocation.requests);
        if is_broken || self.now() > invocation.ends {
            self.broken.set(self.broken.get() + 1);
            return;
        }
        let mut context = Context::from_waker(Waker::noop());
        if invocation.work.as_mut().poll(&mut context).is_pending() {
            invocation.requests += 1;
            let answered = self.now() + self.takes(&invocation);
            under_way.insert(self.moment(answered), invocation);
        }
    }

    /// How long the request takes that it waits for.
    fn takes(&self, invocation: &Invocation<'_>) -> SignedDuration {
        if invocation.stalls_at == Some(invocation.requests) {
            return self.seconds(1..90);
        }
        SignedDuration::from_millis(self.random.borrow_mut().random_range(1..10))
    }

    /// A function that is invoked now.
    pub(super) fn invocation<'w>(
        &self,
        of: Function,
        work: impl Future<Output = ()> + 'w,
    ) -> Invocation<'w> {
        Invocation {
            work: Box::pin(work),
            ends: self.now() + of.timeout,
            requests: 0,
            breaks_at: self.somewhere(of.requests),
            stalls_at: self.somewhere(of.requests),
        }
    }

    fn somewhere(&self, requests: usize) -> Option<usize> {
        self.is_one_of(TROUBLED).then(|| 1 + self.below(requests))
    }

    /// A request: whatever it does is done at once, after those of others that came first.
    pub(super) async fn request<T>(&self, mut does: impl FnMut() -> T) -> Result<T, Unanswered> {
        others().await;
        match self.below(ASTRAY) {
            0 => Err(Unanswered),
            1 => {
                does();
                Err(Unanswered)
            }
            2 => {
                does();
                Ok(does())
            }
            _ => Ok(does()),
        }
    }

    /// So many requests whose answers make no difference here; only that they take time, and may not be answered.
    pub(super) async fn requests(&self, many: usize) -> Result<(), Unanswered> {
        for _ in 0..many {
            self.request(|| ()).await?;
        }
        Ok(())
    }
}

/// Lets others come first.
async fn others() {
    let mut have_come = false;
    poll_fn(|_| match std::mem::replace(&mut have_come, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}
