//! The keys of the table.

use countersign_identity::UserId;
use countersign_run::{Conversation, ConversationId, RunId, TeamId};
use countersign_store_kit::{Key, Query};
use jiff::Timestamp;

/// Over how many partitions the marks of active runs are spread.
pub(crate) const SHARDS: u8 = 8;

fn partition(run: &RunId) -> String {
    format!("RUN#{run}")
}

/// Where to read what lies under a run, and has a sort key that begins so.
fn under(run: &RunId, prefix: &str) -> Query {
    Query::partition(&partition(run)).prefix(prefix)
}

pub(crate) fn head(run: &RunId) -> Key {
    Key::new(partition(run), "HEAD")
}

/// The partition of the runs that a member of a team has started with an agent.
pub(crate) fn of_member(member: &UserId, team: &TeamId, profile: &str) -> String {
    format!("MEMBER#{member}#{team}#{profile}")
}

pub(crate) fn run_of_member(
    (member, team, profile): (&UserId, &TeamId, &str),
    at: Timestamp,
    run: &RunId,
) -> Key {
    Key::new(of_member(member, team, profile), owner_sort(at, run))
}

pub(crate) fn conversation(owner: &UserId, id: &ConversationId) -> Key {
    Key::new(format!("OWNER#{owner}"), format!("CONVERSATION#{id}"))
}

/// The index of the conversations of a person, in which they lie by when they began.
pub(crate) fn conversations(owner: &UserId) -> String {
    format!("CONVERSATIONS#{owner}")
}

pub(crate) fn conversation_sort(begun: &Conversation) -> String {
    format!("{:.3}#{}", begun.created_at, begun.id)
}

/// The partition of the questions of a conversation.
pub(crate) fn questions(id: &ConversationId) -> String {
    format!("CONVERSATION#{id}")
}

pub(crate) fn question(id: &ConversationId, asked_at: Timestamp, run: &RunId) -> Key {
    Key::new(questions(id), owner_sort(asked_at, run))
}

pub(crate) fn request(run: &RunId) -> Key {
    Key::new(partition(run), "REQUEST")
}

pub(crate) fn plan(run: &RunId) -> Key {
    Key::new(partition(run), "PLAN")
}

pub(crate) fn tokens(run: &RunId) -> Key {
    Key::new(partition(run), "TOKENS")
}

pub(crate) fn response(run: &RunId) -> Key {
    Key::new(partition(run), "RESPONSE")
}

pub(crate) fn delivery(run: &RunId, n: usize) -> Key {
    Key::new(partition(run), format!("DELIVER#{n:05}"))
}

/// Where to read deliveries that were asked for.
pub(crate) fn deliveries(run: &RunId) -> Query {
    under(run, "DELIVER#")
}

pub(crate) fn outcome(run: &RunId, step: &str) -> Key {
    Key::new(partition(run), format!("OUT#{step}"))
}

pub(crate) fn intent(run: &RunId, step: &str) -> Key {
    Key::new(partition(run), format!("INTENT#{step}"))
}

pub(crate) fn model_call(run: &RunId, step: &str, at: Timestamp, turn: u32) -> Key {
    Key::new(partition(run), format!("MODEL#{step}#{at:.6}#{turn}"))
}

/// Where to read the turns with models of a run.
pub(crate) fn model_calls(run: &RunId) -> Query {
    under(run, "MODEL#")
}

/// Where to read the turns with models of a step.
pub(crate) fn model_calls_of(run: &RunId, step: &str) -> Query {
    under(run, &format!("MODEL#{step}#"))
}

/// What a person wants changed at a gate, by the request that it closed.
pub(crate) fn revision(run: &RunId, gate: &str, round: u32) -> Key {
    Key::new(partition(run), format!("REVISION#{gate}#{round:03}"))
}

/// Where to read all that people want changed in a run.
pub(crate) fn revisions(run: &RunId) -> Query {
    under(run, "REVISION#")
}

/// What came of a step before it was carried out again in `attempt`.
pub(crate) fn replaced(run: &RunId, step: &str, attempt: u32) -> Key {
    Key::new(partition(run), format!("REPLACED#{step}#{attempt:06}"))
}

pub(crate) fn draft(run: &RunId, step: &str) -> Key {
    Key::new(partition(run), format!("DRAFT#{step}"))
}

/// Where to read what the models of a run are writing.
pub(crate) fn drafts(run: &RunId) -> Query {
    under(run, "DRAFT#")
}

pub(crate) fn turn(run: &RunId, step: &str, turn: u32) -> Key {
    Key::new(partition(run), format!("TURN#{step}#{turn:03}"))
}

/// Where to read the turns of a step in which its model asked for tools.
pub(crate) fn turns(run: &RunId, step: &str) -> Query {
    under(run, &format!("TURN#{step}#"))
}

pub(crate) fn tool_outcome(run: &RunId, step: &str, turn: u32, call: u32) -> Key {
    Key::new(partition(run), format!("TOOL#{step}#{turn:03}#{call:03}"))
}

/// Where to read what came of the tools that the model of a step asked for.
pub(crate) fn tool_outcomes(run: &RunId, step: &str) -> Query {
    under(run, &format!("TOOL#{step}#"))
}

pub(crate) fn item(run: &RunId, step: &str, n: u32) -> Key {
    Key::new(partition(run), format!("ITEM#{step}#{n:04}"))
}

/// Where to read the calls of a step.
pub(crate) fn items(run: &RunId, step: &str) -> Query {
    under(run, &format!("ITEM#{step}#"))
}

pub(crate) fn event(run: &RunId, step: &str, attempt: u32, n: u32) -> Key {
    Key::new(partition(run), format!("EV#{step}#{attempt:06}#{n:03}"))
}

/// Where to read the events of a run.
pub(crate) fn events(run: &RunId) -> Query {
    under(run, "EV#")
}

/// Where to read the outcomes of a run.
pub(crate) fn outcomes(run: &RunId) -> Query {
    under(run, "OUT#")
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

/// The lowest and the highest sort key of runs that began between two times.
pub(crate) fn owner_range(from: Option<Timestamp>, to: Option<Timestamp>) -> (String, String) {
    // DynamoDB takes no empty text as the lower bound; `~` is behind the `#` of every key.
    let low = from.map_or_else(|| "0".to_owned(), |from| format!("{from:.3}"));
    let high = to.map_or_else(|| "9".to_owned(), |to| format!("{to:.3}~"));
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: Option<&str>, to: Option<&str>, began: &str, is_in: bool) {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (low, high) = owner_range(from.map(at), to.map(at));
        let key = owner_sort(at(began), &RunId::from_bytes([255; 16]));
        assert_eq!(low <= key && key <= high, is_in, "{began} of {low} to {high}");
    }

    #[test]
    fn f_347_a_range_of_runs_holds_its_ends() {
        let (nine, ten) = (Some("2026-11-22T09:00:00Z"), Some("2026-11-22T10:00:00.5Z"));
        check(nine, ten, "2026-11-22T09:00:00Z", true);
        check(nine, ten, "2026-11-22T10:00:00.5Z", true);
        check(nine, ten, "2026-11-22T08:59:59.999Z", false);
        check(nine, ten, "2026-11-22T10:00:00.501Z", false);
        check(None, None, "2026-11-22T10:00:00.501Z", true);
        check(None, nine, "2026-11-22T09:00:00.001Z", false);
    }
}
