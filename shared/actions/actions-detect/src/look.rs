//! One look of one detection step.

use std::sync::Arc;

use countersign_monitor::{MAX_ITEMS, MarkKind, Overlap, Position, TooLarge};
use countersign_registry::action::{ActionError, ActionFuture, Call, Handler};
use countersign_run::Ancestry;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

/// From where a step looks.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Where it stands; none at its first look.
    pub previous: Option<&'a Position>,
    /// How late something may come.
    pub late: SignedDuration,
    /// The most items it may find.
    pub most: usize,
    /// The most bytes of their records.
    pub bytes: usize,
    /// How many items its position may remember.
    pub memory: usize,
    /// When it looked last, for sources that want to be left alone for a while.
    pub last: Option<Timestamp>,
    /// Whether somebody keeps the position: then a look fails when something may be missing.
    pub is_kept: bool,
    /// The monitor that looks; none when it is a step of a run.
    pub monitor: Option<&'a str>,
}

impl Look<'_> {
    /// How items are compared at this look.
    pub(crate) fn overlap(&self, kind: MarkKind, now: Timestamp) -> Overlap {
        let Self { late, most, bytes, memory, .. } = *self;
        Overlap { kind, late, now, most, bytes, memory, is_cut: false }
    }

    /// The value before this look.
    pub(crate) fn before(&self) -> Option<String> {
        self.previous.and_then(|position| position.value.clone())
    }
}

/// What a look saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The output of the step.
    pub output: Value,
    /// What names the new items in their source.
    pub keys: Vec<String>,
    /// The oldest new item where no batch has room for it: there is nothing else then.
    pub too_large: Option<TooLarge>,
    /// Where the step stands once they are processed; none when it did not look, because the source wants to be left alone.
    pub position: Option<Position>,
    /// What was looked at.
    pub metadata: Map<String, Value>,
    /// Whether the position moves although nothing is new: it went past much that is of no interest.
    pub advances: bool,
    /// What led to what is new.
    pub led_by: Ancestry,
}

/// An action that looks for what is new.
pub trait Detect: Send + Sync {
    /// The action's name in the registry.
    fn name(&self) -> &'static str;

    /// What the values of its positions are.
    fn kind(&self) -> MarkKind;

    /// What the value of the position of this call is, where its arguments decide.
    ///
    /// # Errors
    /// [`ActionError`] when the arguments are not the action's.
    fn kind_of(&self, _: &Call) -> Result<MarkKind, ActionError> {
        Ok(self.kind())
    }

    /// What a call looks at, a part of the metadata: where that changes, a position means nothing.
    ///
    /// # Errors
    /// [`ActionError`] when the arguments are not the action's.
    fn source(&self, call: &Call) -> Result<Map<String, Value>, ActionError>;

    /// The output of a step that stands at `before` and finds nothing.
    fn nothing(&self, before: Option<String>) -> Value;

    /// Looks.
    fn look<'a>(&'a self, call: &'a Call, look: Look<'a>) -> ActionFuture<'a, Seen>;
}

/// A detection in a run that is not a monitor's: everything that is there is new.
struct Alone(Arc<dyn Detect>);

impl Handler for Alone {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
        Box::pin(async move {
            let start = Position::start(MarkKind::Cursor);
            let look = Look {
                previous: Some(&start),
                late: SignedDuration::ZERO,
                most: MAX_ITEMS,
                bytes: usize::MAX,
                memory: usize::MAX,
                last: None,
                is_kept: false,
                monitor: None,
            };
            Ok(self.0.look(call, look).await?.output)
        })
    }
}

/// These detections as steps of any run.
#[must_use]
pub fn handlers(detections: Vec<Arc<dyn Detect>>) -> Vec<Arc<dyn Handler>> {
    detections.into_iter().map(|one| Arc::new(Alone(one)) as Arc<dyn Handler>).collect()
}
