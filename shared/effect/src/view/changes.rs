//! What differs between two effects, value by value.

use std::collections::BTreeMap;

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

/// What of an effect changed, in the order of names. Repeated names are compared as one list.
#[must_use]
pub fn changes(before: &EffectView, after: &EffectView) -> Vec<Change> {
    let (old, new) = (values(before), values(after));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    let change = |name: &String| {
        let (before, after) = (old.get(name).cloned(), new.get(name).cloned());
        (before != after).then(|| Change { name: name.clone(), before, after })
    };
    names.into_iter().filter_map(change).collect()
}

fn values(view: &EffectView) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let mut add = |name: String, value: &str| {
        let known: &mut String = values.entry(name).or_default();
        if !known.is_empty() {
            known.push_str(", ");
        }
        known.push_str(value);
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
}
