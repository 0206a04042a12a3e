//! What is known of an effect whose outcome is not.

use jiff::Timestamp;

use crate::Sending;

/// The code of a step that may have acted and never said what came of it.
pub const EFFECT_UNKNOWN: &str = "EFFECT_UNKNOWN";

/// Something that was sent, or was about to be. The later one is the greater one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: Sending,
}

impl Sent {
    /// The one sentence that journal, mail, page and API tell when nobody knows what came of it. `by` are the usernames of
    /// those who approved it, where they are known.
    #[must_use]
    pub fn sentence(&self, step: &str, by: &[&str]) -> String {
        let by = if by.is_empty() { String::new() } else { format!(" by {}", by.join(", ")) };
        let Sending { receipt, key, items, .. } = &self.what;
        let sent = self.at.strftime("%Y-%m-%d %H:%M:%SZ");
        let host = self.host();
        if *items > 0 {
            return format!(
                "`{step}` to {host}: {items} calls approved{by} ({receipt}), sending since {sent}, outcome of some unknown. \
                 Look there for the keys of those calls."
            );
        }
        format!(
            "`{step}` to {host}: approved{by} ({receipt}), sent {sent}, outcome unknown. Look there for key {key}."
        )
    }

    /// The host it was sent to, with its port.
    #[must_use]
    pub fn host(&self) -> &str {
        let target = self.what.target.as_str();
        let address = target.split_once(' ').map_or(target, |(_, address)| address);
        address.split_once('/').map_or(address, |(host, _)| host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_outcome_is_told_with_all_it_takes_to_look() {
        let what = Sending {
            call: 1,
            receipt: "rcpt_1".to_owned(),
            approval: None,
            target: "POST api.bank.example:8443/v1/payments".to_owned(),
            key: "9f00".to_owned(),
            items: 0,
        };
        let sent = Sent { at: "2026-11-22T14:03:07.5Z".parse().unwrap(), what };
        assert_eq!(
            sent.sentence("pay", &["ann", "bob"]),
            "`pay` to api.bank.example:8443: approved by ann, bob (rcpt_1), sent 2026-11-22 14:03:07Z, outcome unknown. \
             Look there for key 9f00."
        );
        assert!(sent.sentence("pay", &[]).contains(": approved (rcpt_1), sent"));
        let several = Sent { what: Sending { items: 40, ..sent.what }, at: sent.at };
        assert!(several.sentence("pay", &["ann"]).contains("40 calls approved by ann (rcpt_1)"));
    }
}
