//! What differs between two effects, value by value.

use std::collections::{BTreeMap, BTreeSet};

use super::{Content, EffectView};

/// One value that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The value's place and wire name, such as `body amount`.
    pub name: String,
    /// The value before; none when there was none.
    pub before: Option<String>,
    /// The value now; none when there is none any more.
    pub after: Option<String>,
}

/// What of an effect changed, in the order of names. Values of a repeated name are compared one by one, and numbered.
#[must_use]
pub fn changes(before: &EffectView, after: &EffectView) -> Vec<Change> {
    let (old, new) = (values(before), values(after));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let none = Vec::new();
    let of_name = |name: &String| {
        let (old, new) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
        one_by_one(name, old, new)
    };
    names.into_iter().flat_map(of_name).collect()
}

fn one_by_one(name: &str, old: &[String], new: &[String]) -> Vec<Change> {
    let count = old.len().max(new.len());
    let change = |at: usize| {
        let (before, after) = (old.get(at).cloned(), new.get(at).cloned());
        let name = if count > 1 { format!("{name}, value {}", at + 1) } else { name.to_owned() };
        (before != after).then_some(Change { name, before, after })
    };
    (0..count).filter_map(change).collect()
}

fn values(view: &EffectView) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |name: String, value: &str| {
        values.entry(name).or_default().push(value.to_owned());
    };
    add("method".to_owned(), &view.target.method);
    add("address".to_owned(), &view.target.url);
    if let Some(account) = &view.account {
        add("credential".to_owned(), &account.credential);
        add("authentication".to_owned(), &account.auth);
        for (name, value) in &account.details {
            add(name.clone(), value);
        }
    }
    add("connector and endpoint".to_owned(), &view.via);
    for section in &view.sections {
        let place = section.part.as_str();
        if let Some(media) = &section.media {
            add(format!("{place} type"), media);
        }
        match &section.content {
            Content::Text(text) => add(place.to_owned(), text),
            Content::Fields(fields) => {
                for field in fields {
                    add(format!("{place} {}", field.name), &field.value);
                }
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::view::EffectView;
    use crate::view::samples::payment_of;
    use crate::{Effect, Part};

    #[test]
    fn only_what_differs_is_named() {
        let view = |amount| EffectView::of(&payment_of(amount, "Nordwind", "DE02"));
        assert!(changes(&view("10"), &view("10")).is_empty());
        let changed = changes(&view("10"), &view("1000"));
        assert_eq!(changed.len(), 1);
        assert_eq!(changed[0].name, "body amount");
        assert_eq!(changed[0].before.as_deref(), Some("10"));
        assert_eq!(changed[0].after.as_deref(), Some("1000"));
    }

    #[test]
    fn f_200_values_of_a_repeated_name_are_compared_one_by_one() {
        let view = |tags: &[&str]| {
            let Effect::Http(mut http) = payment_of("10", "Nordwind", "DE02") else {
                panic!("not HTTP")
            };
            let tag = |tag: &&str| ("tag".to_owned(), Part::Text((*tag).to_owned()));
            http.query = tags.iter().map(tag).collect();
            EffectView::of(&Effect::Http(http))
        };
        let check =
            |before: &[&str], after: &[&str], expect: &[(&str, Option<&str>, Option<&str>)]| {
                let all = changes(&view(before), &view(after));
                let all: Vec<_> = all.iter().filter(|change| change.name.contains("tag")).collect();
                let found: Vec<_> = all
                    .iter()
                    .map(|c| (c.name.as_str(), c.before.as_deref(), c.after.as_deref()))
                    .collect();
                assert_eq!(found, expect);
            };
        // Joined, these two would read the same.
        check(
            &["a", "b, c"],
            &["a, b", "c"],
            &[
                ("query tag, value 1", Some("a"), Some("a, b")),
                ("query tag, value 2", Some("b, c"), Some("c")),
            ],
        );
        check(&["a", "b"], &["a"], &[("query tag, value 2", Some("b"), None)]);
        check(&["a"], &["b"], &[("query tag", Some("a"), Some("b"))]);
        check(&[""], &[], &[("query tag", Some(""), None)]);
    }
}
