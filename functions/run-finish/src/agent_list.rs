//! Which destination of an agent one is that is tried again: the list may be another one by then.

use countersign_actions_output::OwnDestination;
use countersign_registry::action::ActionError;
use countersign_report::Destination;

/// The destination that was number `n` when it was routed; `was` are the digests of the list then. It is the same one wherever it
/// is now, or the only one of the list that was changed since: whoever mends a destination may have it tried again. What
/// earlier releases kept has no digests; there the number and the kind have to do.
pub(crate) fn found<'a>(
    now: &'a [OwnDestination],
    was: &[String],
    (kind, n): (&str, usize),
) -> Result<&'a Destination, ActionError> {
    let Some(own) = was.get(n) else {
        let one = now.get(n).filter(|one| was.is_empty() && one.destination.kind() == kind);
        return one.map(|one| &one.destination).ok_or_else(gone);
    };
    let is_own = |one: &&OwnDestination| one.digest == *own && one.destination.kind() == kind;
    let here = now.get(n).filter(is_own);
    if let Some(same) = here.or_else(|| now.iter().find(is_own)) {
        return Ok(&same.destination);
    }
    let others = |(place, digest): (usize, &String)| {
        place == n || now.get(place).is_some_and(|one| one.digest == *digest)
    };
    let is_mended = now.len() == was.len() && was.iter().enumerate().all(others);
    let mended = now.get(n).filter(|one| is_mended && one.destination.kind() == kind);
    mended.map(|one| &one.destination).ok_or_else(gone)
}

/// That there is nothing left to try again.
pub(crate) fn gone() -> ActionError {
    let message =
        "this destination is not written down any more, or people sign before it is written";
    ActionError::terminal("OUTPUT_NOT_RETRYABLE", message)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn list(folders: &[&str]) -> Vec<OwnDestination> {
        let one = |folder: &&str| json!({ "type": "folder", "config": { "folder_id": folder } });
        let written: Vec<Value> = folders.iter().map(one).collect();
        let config = json!({ "destinations": written });
        OwnDestination::all(&serde_json::from_value(config).unwrap()).unwrap()
    }

    /// Which destination is tried for `n` of `was`, once the list is `now`.
    fn check(was: &[&str], n: usize, now: &[&str], expect: Option<&str>) {
        let digests: Vec<String> = list(was).into_iter().map(|one| one.digest).collect();
        let (now, expect) = (list(now), expect.map(|folder| list(&[folder]).remove(0)));
        let found = found(&now, &digests, ("folder", n)).ok();
        assert_eq!(found, expect.as_ref().map(|one| &one.destination), "{was:?} {n}");
    }

    #[test]
    fn f_314_a_destination_is_found_by_what_it_is() {
        check(&["a", "b"], 1, &["a", "b"], Some("b"));
        check(&["a", "b"], 1, &["b", "a"], Some("b"));
        check(&["a", "b"], 1, &["c", "b", "a"], Some("b"));
        check(&["a", "b"], 1, &["a", "c"], Some("c"));
        check(&["a", "b"], 1, &["c", "a"], None);
        check(&["a", "b"], 1, &["c", "d"], None);
        check(&["a", "b"], 1, &["a"], None);
        check(&["a", "b"], 1, &["a", "c", "d"], None);
        check(&["a", "a"], 1, &["a", "a"], Some("a"));
        check(&[], 1, &["a", "b"], Some("b"));
        check(&["a"], 3, &["a", "b", "c", "d"], None);
    }

    #[test]
    fn f_314_of_another_kind_is_another_destination() {
        let was: Vec<String> = list(&["a"]).into_iter().map(|one| one.digest).collect();
        assert!(found(&list(&["b"]), &was, ("document", 0)).is_err());
        assert!(found(&list(&["b"]), &[], ("document", 0)).is_err());
    }
}
