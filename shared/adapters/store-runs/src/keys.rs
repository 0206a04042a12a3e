//! The keys of the table.

use countersign_identity::UserId;
use countersign_run::RunId;
use countersign_store_kit::Key;
use jiff::Timestamp;

/// Over how many partitions the marks of active runs are spread.
pub(crate) const SHARDS: u8 = 8;

fn partition(run: &RunId) -> String {
    format!("RUN#{run}")
}

pub(crate) fn head(run: &RunId) -> Key {
    Key::new(partition(run), "HEAD")
}

pub(crate) fn request(run: &RunId) -> Key {
    Key::new(partition(run), "REQUEST")
}

pub(crate) fn plan(run: &RunId) -> Key {
    Key::new(partition(run), "PLAN")
}

pub(crate) fn response(run: &RunId) -> Key {
    Key::new(partition(run), "RESPONSE")
}

pub(crate) fn outcome(run: &RunId, step: &str) -> Key {
    Key::new(partition(run), format!("OUT#{step}"))
}

pub(crate) fn intent(run: &RunId, step: &str) -> Key {
    Key::new(partition(run), format!("INTENT#{step}"))
}

pub(crate) fn item(run: &RunId, step: &str, n: u32) -> Key {
    Key::new(partition(run), format!("ITEM#{step}#{n:04}"))
}

/// The partition and the prefix of the calls of a step.
pub(crate) fn items(run: &RunId, step: &str) -> (String, String) {
    (partition(run), format!("ITEM#{step}#"))
}

pub(crate) fn event(run: &RunId, step: &str, attempt: u32, n: u32) -> Key {
    Key::new(partition(run), format!("EV#{step}#{attempt:06}#{n:03}"))
}

/// The partition and the prefix of the events of a run.
pub(crate) fn events(run: &RunId) -> (String, &'static str) {
    (partition(run), "EV#")
}

/// The partition and the prefix of the outcomes of a run.
pub(crate) fn outcomes(run: &RunId) -> (String, &'static str) {
    (partition(run), "OUT#")
}

pub(crate) fn last_success(owner: &UserId, profile: &str) -> Key {
    Key::new(format!("OWNER#{owner}"), format!("LAST#{profile}"))
}

pub(crate) fn active(run: &RunId) -> Key {
    // The last hex digit of an id is as good as random.
    let digit = run.as_str().as_bytes().last().copied().unwrap_or_default();
    Key::new(active_shard(digit % SHARDS), run.as_str())
}

pub(crate) fn active_shard(shard: u8) -> String {
    format!("ACTIVE#{shard}")
}

pub(crate) fn owner_index(owner: &UserId) -> String {
    format!("OWNER#{owner}")
}

pub(crate) fn owner_sort(started_at: Timestamp, run: &RunId) -> String {
    format!("{started_at:.3}#{run}")
}
