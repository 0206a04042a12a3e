//! What the last signature of a request sends, in words.

/// What approving sends of `count` requests that cannot be undone: `not_sent` of them would not be sent as things stand, and
/// `remaining` signatures are still needed, the reader's among them.
#[must_use]
pub fn approving_sends(count: u64, not_sent: u64, remaining: u64) -> String {
    let sent = count.saturating_sub(not_sent);
    if sent == 0 {
        return "As things stand, approving sends nothing.".to_owned();
    }
    let requests = if sent == 1 { "request" } else { "requests" };
    let said = match remaining {
        0 | 1 => format!("Approving sends {sent} {requests} that cannot be undone."),
        more => format!(
            "Approving alone sends nothing: of {more} signatures still needed, the last sends {sent} {requests} that cannot be undone."
        ),
    };
    match not_sent {
        0 => said,
        more => format!("{said} As things stand, {more} more would not be sent."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_be_sent_is_counted_as_sent() {
        let sends = |count, not_sent, remaining| approving_sends(count, not_sent, remaining);
        assert_eq!(sends(1, 0, 1), "Approving sends 1 request that cannot be undone.");
        assert_eq!(
            sends(3, 2, 0),
            "Approving sends 1 request that cannot be undone. As things stand, 2 more would not be sent."
        );
        assert_eq!(
            sends(5, 2, 2),
            "Approving alone sends nothing: of 2 signatures still needed, the last sends 3 requests that cannot be undone. As things stand, 2 more would not be sent."
        );
        assert_eq!(sends(2, 2, 2), "As things stand, approving sends nothing.");
    }
}
