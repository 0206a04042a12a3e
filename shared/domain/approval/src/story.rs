//! How a request ended, as a sentence and as the code of the answer to whoever comes later.

use countersign_zones::to_the_second;

use crate::actor::Actor;
use crate::closed::Closed;
use crate::status::Status;

/// How a request ended. `name` is the person's, where a person ended it: an id says nothing to a reader.
#[must_use]
pub fn story(closed: &Closed, name: Option<&str>) -> String {
    let Closed { status, by, .. } = closed;
    let at = to_the_second(closed.at);
    let who = match (by, name) {
        (Actor::Person(_), Some(name)) => format!(" by {name}"),
        (Actor::Clock, _) => " by its deadline".to_owned(),
        (Actor::Person(_), None) | (Actor::Engine, _) => String::new(),
    };
    match status {
        Status::Pending => "this request is open".to_owned(),
        Status::Approved => format!("this request was approved{who} at {at}"),
        Status::Denied => format!("this request was denied{who} at {at}"),
        Status::TimedOut => format!("this request was closed{who} at {at}"),
        Status::Expired => format!("this request expired at {at}: its run is gone"),
        Status::Superseded => {
            format!(
                "changes to this request were asked for{who} at {at}; a newer one takes its place"
            )
        }
        Status::Cancelled => format!("this request was cancelled at {at}: its run was stopped"),
    }
}

pub(crate) fn closed_code(status: Status) -> &'static str {
    match status {
        Status::Pending | Status::Approved | Status::Denied => "APPROVAL_CLOSED",
        Status::TimedOut => "APPROVAL_TIMED_OUT",
        Status::Expired => "APPROVAL_EXPIRED",
        Status::Superseded => "APPROVAL_SUPERSEDED",
        Status::Cancelled => "APPROVAL_CANCELLED",
    }
}
