//! The notification and the mail. The mail holds nothing that anybody else could have written into it; the notification has
//! the reason in full.

use countersign_letter::Label;
use countersign_letter::mail::{MailLink, SourceAlert, TroubleMail};
use countersign_store_content::{Notification, NotificationId, NotificationType, Priority};
use serde_json::{Map, Value};

use crate::found::Found;

pub(crate) fn notification(found: &Found, public_url: &str) -> Notification {
    let notification_type = match found.trouble {
        SourceAlert::Failing | SourceAlert::FailingInPart => NotificationType::MonitorFailing,
        SourceAlert::Parked { .. } => NotificationType::ItemsParked,
        SourceAlert::SkippedOccurrence { .. } | SourceAlert::Abandoned { .. } => {
            NotificationType::RunLeftOut
        }
    };
    Notification {
        id: NotificationId::from_bytes(found.occasion("note")),
        owner: found.owner.clone(),
        notification_type,
        title: format!("{}: {}", found.name, found.trouble.headline()),
        message: message(found),
        priority: Priority::High,
        action_url: Some(format!("{public_url}/api/agent-factory/{}", place(found))),
        action_label: Some("See what happened".to_owned()),
        details: details(found),
        run: String::new(),
        created_at: found.at,
        read_at: None,
    }
}

/// The reason as a sentence, and what to do.
fn message(found: &Found) -> String {
    let reason = found.message.trim_end();
    let end = if reason.ends_with(['.', '!', '?']) || reason.is_empty() { "" } else { "." };
    format!("{reason}{end} {}", found.trouble.advice(&found.source)).trim_start().to_owned()
}

/// Where it is seen what happened.
fn place(found: &Found) -> String {
    let source = &found.source;
    match (found.trouble, &found.occurrence) {
        (SourceAlert::Failing | SourceAlert::FailingInPart, _) => {
            format!("monitors/{source}/state")
        }
        (
            SourceAlert::SkippedOccurrence { .. } | SourceAlert::Abandoned { .. },
            Some(occurrence),
        ) => {
            format!("occurrences/{occurrence}")
        }
        _ => format!("monitors/{source}/parked"),
    }
}

fn details(found: &Found) -> Map<String, Value> {
    let details = [("source_id", found.source.as_str()), ("code", &found.code)];
    let occurrence = found.occurrence.as_ref().map(|id| ("occurrence", id.as_str()));
    let details = details.into_iter().chain(occurrence);
    details.map(|(name, value)| (name.to_owned(), value.into())).collect()
}

pub(crate) fn letter(found: &Found, public_url: &str) -> TroubleMail {
    TroubleMail {
        trouble: found.untold,
        id: Label::new(&found.source),
        name: Label::new(&found.name),
        since: found.since,
        code: Label::new(&found.code),
        occurrence: found.occurrence.as_ref().map(|id| Label::id(id.as_str())),
        link: MailLink::parse(&format!("{public_url}/errors/{}", found.code)).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::tests::found;

    #[test]
    fn issue_14_the_reason_is_in_the_notification_and_its_code_in_the_mail() {
        let found = Found {
            message: "maria@example.org cannot sign".to_owned(),
            ..found("2026-11-24T06:00:00Z", "2026-11-24T07:00:00Z")
        };
        let note = notification(&found, "https://agents.example.org");
        assert!(note.message.starts_with("maria@example.org cannot sign"), "{note:?}");
        assert_eq!(note.details["code"], "SAVED_TOKEN_REVOKED");
        let mail = letter(&found, "https://agents.example.org").render().unwrap();
        assert_eq!(mail.subject, "New filings: cannot look");
        for body in [&mail.text, &mail.html] {
            assert!(!body.contains("maria"), "{body}");
            assert!(body.contains("https://agents.example.org/errors/SAVED_TOKEN_REVOKED"));
            assert!(body.contains("countersign monitors show mon_"), "{body}");
        }
    }
}
