//! What a source lists by time, read from a position on.

use std::collections::HashMap;

use countersign_monitor::{Found, NewItems, Position};
use countersign_registry::action::{ActionError, ActionFuture};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::look::{Look, Seen};

/// How many pages one look reads; where that is not enough, the next look goes on.
const MAX_PAGES: usize = 50;

/// One thing of the list.
pub(crate) struct Listed<T> {
    /// When it came.
    pub(crate) at: Timestamp,
    /// What is looked for, with what else is known of it; none when it does not fit.
    pub(crate) found: Option<(Found, T)>,
}

/// Some of the list, the oldest first, and where it goes on.
pub(crate) type Page<T> = (Vec<Listed<T>>, Option<String>);

/// What a look has read.
pub(crate) struct Read<T> {
    /// What fits.
    pub(crate) found: Vec<Found>,
    /// What else is known of each, by its key.
    pub(crate) known: HashMap<String, T>,
    /// From when on.
    since: Option<Timestamp>,
    /// How far, when that was more than a page.
    past: Option<Timestamp>,
    /// Whether there is more behind that.
    has_more: bool,
}

impl<T> Read<T> {
    /// Reads from the position on, the oldest first, until more fit than a batch takes.
    ///
    /// # Errors
    /// What `page` says.
    pub(crate) async fn of<'p>(
        look: Look<'_>,
        now: Timestamp,
        page: impl Fn(Option<Timestamp>, Option<String>) -> ActionFuture<'p, Page<T>>,
    ) -> Result<Self, ActionError> {
        let since = since(look, now);
        let mut read =
            Self { found: Vec::new(), known: HashMap::new(), since, past: None, has_more: false };
        let mut after = None;
        for number in 0..MAX_PAGES {
            let (listed, next) = page(since, after).await?;
            if number > 0 {
                read.past = listed.last().map(|one| one.at.min(now)).or(read.past);
            }
            for (found, known) in listed.into_iter().filter_map(|one| one.found) {
                read.known.insert(found.key.clone(), known);
                read.found.push(found);
            }
            (read.has_more, after) = (next.is_some(), next);
            if !read.has_more || (look.previous.is_some() && read.found.len() > room(look)) {
                break;
            }
        }
        Ok(read)
    }

    /// What was read, unless a look can never get past it; `code` is that of the error, and `came` how it came there.
    ///
    /// # Errors
    /// [`ActionError`] when the next look would read the same again.
    pub(crate) fn unstuck(
        self,
        look: Look<'_>,
        code: &'static str,
        came: &str,
    ) -> Result<Self, ActionError> {
        if !self.is_stuck(look) {
            return Ok(self);
        }
        let message = format!("more was {came} within the overlap than one look reads");
        Err(ActionError::terminal(code, message)
            .with_help("shorten the monitor's `overlap_minutes`"))
    }

    /// What a look saw that found this, with the records under `name`.
    pub(crate) fn seen(
        &self,
        name: &str,
        novel: NewItems,
        look: Look<'_>,
        metadata: Map<String, Value>,
    ) -> Seen {
        let Leads { position, has_more, advances } = self.leads(&novel, look);
        let novel = NewItems { position, ..novel };
        Seen { advances, ..Seen::listing(name, novel, Some(has_more), look, metadata) }
    }

    /// Whether the next look would read the same again; or the first one does not reach the present.
    fn is_stuck(&self, look: Look<'_>) -> bool {
        let Some(previous) = look.previous else { return self.has_more };
        let is_past = self.past > previous.moment();
        self.has_more && !is_past && self.found.len() <= room(look)
    }

    /// Where a look leads that found this, whether there is more than it takes, and whether its position moves even when it
    /// found nothing.
    fn leads(&self, novel: &NewItems, look: Look<'_>) -> Leads {
        let mut position = novel.position.clone();
        if let (None, Some(since)) = (look.previous, self.since) {
            position = position.known_before(since);
        }
        // What was read and does not fit is not read again.
        let past = self.past.filter(|_| !novel.has_more);
        if let Some(past) = past {
            position = position.read_up_to(past);
        }
        let advances = past.is_some() && position.value != look.before();
        Leads { position, has_more: novel.has_more || self.has_more, advances }
    }
}

/// Where a look leads.
struct Leads {
    position: Position,
    has_more: bool,
    advances: bool,
}

/// So many that some of them are new.
fn room(look: Look<'_>) -> usize {
    look.most + look.previous.map_or(0, |position| position.seen.len())
}

/// Nothing earlier can be new: not even at the first look, where what is earlier counts as known.
fn since(look: Look<'_>, now: Timestamp) -> Option<Timestamp> {
    match look.previous {
        Some(previous) => previous.horizon(look.late),
        None => now.checked_sub(look.late).ok(),
    }
}
