//! What is known of an effect whose outcome is not.

use std::fmt;

use countersign_failure::one_line;
use countersign_zones::to_the_second;
use jiff::Timestamp;

use crate::Sending;

/// The code of a step that may have acted and never said what came of it.
pub const EFFECT_UNKNOWN: &str = "EFFECT_UNKNOWN";

/// The code of a step of which people say that what it sent was not done.
pub const EFFECT_NOT_DONE: &str = "EFFECT_NOT_DONE";

/// Something that was sent, or was about to be. The later one is the greater one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: Sending,
}

/// What people said became of it.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// What it is: `was done`, `was not done`.
    pub what: &'a str,
    /// The receipt of it.
    pub receipt: &'a str,
    /// Who said it, each with the evidence they gave; empty where the names are not known.
    pub by: &'a [(&'a str, Option<&'a str>)],
    /// The evidence, where the names are not known; untrusted text.
    pub evidence: Option<&'a str>,
}

impl Sent {
    /// The one sentence that journal, mail, page and API tell when nobody knows what came of it. `by` are the usernames of
    /// those who approved it, where they are known.
    #[must_use]
    pub fn sentence(&self, step: &str, by: &[&str]) -> String {
        if self.what.items > 0 {
            return self.several(step, by);
        }
        let look = match self.document() {
            Some(path) => format!(
                "Look at the document `{path}`: it was changed as it was signed, or not at all."
            ),
            None => format!("Look there for key {}.", self.what.key),
        };
        format!("{}, outcome unknown. {look}", self.story(step, by))
    }

    /// What to look for, and where.
    #[must_use]
    pub fn look_for(&self) -> String {
        match self.document() {
            Some(path) => format!("the document {path}"),
            None => format!("key {} at {}", self.what.key, self.host()),
        }
    }

    /// The path of the document that was changed, if it is one: nobody finds a key there.
    fn document(&self) -> Option<&str> {
        let (_, address) = self.what.target.split_once(' ')?;
        address.strip_prefix("documents/")
    }

    /// What is told in either case: who allowed it, and when it was sent.
    fn story(&self, step: &str, by: &[&str]) -> String {
        let (by, sent) = (by_whom(by), to_the_second(self.at));
        format!(
            "`{step}` to {}: approved{by} ({}), sent after {sent}",
            self.host(),
            self.what.receipt
        )
    }

    /// The sentence of a step with several calls.
    fn several(&self, step: &str, by: &[&str]) -> String {
        let Sending { receipt, items, .. } = &self.what;
        let (by, sent) = (by_whom(by), to_the_second(self.at));
        format!(
            "`{step}` to {}: {items} calls approved{by} ({receipt}), sending since {sent}, outcome of some unknown. Look there \
             for the keys of those calls.",
            self.host()
        )
    }

    /// The same sentence once people have said what came of it.
    #[must_use]
    pub fn answered(&self, step: &str, by: &[&str], said: &Said<'_>) -> String {
        let story = self.story(step, by);
        format!("{story}, no answer came. {said} ({}). Its key is {}.", said.receipt, self.what.key)
    }

    /// The host it was sent to, with its port.
    #[must_use]
    pub fn host(&self) -> &str {
        let target = self.what.target.as_str();
        let address = target.split_once(' ').map_or(target, |(_, address)| address);
        address.split_once('/').map_or(address, |(host, _)| host)
    }
}

/// Behind `approved`: nothing where nobody is known.
fn by_whom(people: &[&str]) -> String {
    if people.is_empty() { String::new() } else { format!(" by {}", people.join(", ")) }
}

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what;
        if self.by.is_empty() {
            return write!(f, "People said that it {what}{}", quoted(self.evidence));
        }
        for (n, (name, evidence)) in self.by.iter().enumerate() {
            let mark = if n == 0 { "" } else { "; " };
            write!(f, "{mark}{name} said that it {what}{}", quoted(*evidence))?;
        }
        Ok(())
    }
}

/// Evidence on one line.
fn quoted(evidence: Option<&str>) -> String {
    let Some(evidence) = evidence else { return String::new() };
    format!(", with the evidence “{}”", one_line(evidence))
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
            "`pay` to api.bank.example:8443: approved by ann, bob (rcpt_1), sent after 2026-11-22 14:03:07Z, outcome unknown. \
             Look there for key 9f00."
        );
        assert!(sent.sentence("pay", &[]).contains(": approved (rcpt_1), sent"));
        let by = [("cy", Some("statement\n47")), ("dan", None)];
        let said = Said { what: "was done", receipt: "rcpt_2", by: &by, evidence: None };
        assert_eq!(
            sent.answered("pay", &["ann"], &said),
            "`pay` to api.bank.example:8443: approved by ann (rcpt_1), sent after 2026-11-22 14:03:07Z, no answer came. \
             cy said that it was done, with the evidence “statement 47”; dan said that it was done (rcpt_2). Its key is 9f00."
        );
        let target = "PATCH documents/research/notes.md".to_owned();
        let document = Sent { what: Sending { target, ..sent.what.clone() }, at: sent.at };
        assert_eq!(
            document.sentence("close", &["ann"]),
            "`close` to documents: approved by ann (rcpt_1), sent after 2026-11-22 14:03:07Z, outcome unknown. \
             Look at the document `research/notes.md`: it was changed as it was signed, or not at all."
        );
        let several = Sent { what: Sending { items: 40, ..sent.what }, at: sent.at };
        assert!(several.sentence("pay", &["ann"]).contains("40 calls approved by ann (rcpt_1)"));
    }
}
