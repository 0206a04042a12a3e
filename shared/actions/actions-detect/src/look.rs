//! One look of one detection step.

use std::sync::Arc;

use countersign_monitor::{
    Found, MAX_ITEMS, MarkKind, NewItems, Overlap, Position, TooLarge, novel,
};
use countersign_registry::action::{ActionError, ActionFuture, Call, Handler};
use countersign_run::Ancestry;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

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

    /// What of this was not there before.
    pub(crate) fn novel(
        &self,
        found: Vec<Found>,
        kind: MarkKind,
        now: Timestamp,
    ) -> Result<NewItems, ActionError> {
        let novel = novel(self.previous, found, self.overlap(kind, now));
        novel.map_err(|error| ActionError::from_failure(&error))
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

impl Seen {
    /// A look that found nothing, says this, and leads to this position.
    pub(crate) fn nothing(
        output: Value,
        position: Option<Position>,
        metadata: Map<String, Value>,
    ) -> Self {
        let (keys, led_by) = (Vec::new(), Ancestry::default());
        Self { output, keys, too_large: None, position, metadata, advances: false, led_by }
    }

    /// What is new: how many there are, their records under `name`, and between the two whether there are more, where the output
    /// says so.
    pub(crate) fn listing(
        name: &str,
        novel: NewItems,
        has_more: Option<bool>,
        look: Look<'_>,
        metadata: Map<String, Value>,
    ) -> Self {
        let NewItems { items, position, too_large, .. } = novel;
        let mut output = json!({ "count": items.len() });
        if let Some(has_more) = has_more {
            output["has_more"] = json!(has_more);
        }
        let (keys, records) = items.into_iter().map(|found| (found.key, found.record)).unzip();
        output[name] = Value::Array(records);
        output["watermark"] = json!(position.value);
        output["previous_watermark"] = json!(look.before());
        Self { keys, too_large, ..Self::nothing(output, Some(position), metadata) }
    }
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
