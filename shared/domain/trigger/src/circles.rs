//! Circles among triggers: the run of one ends and fires another, whose run ends and fires the first.

use std::collections::{BTreeMap, BTreeSet};

/// A trigger that waits for the end of a playbook's runs and starts another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The playbook that it waits for.
    pub after: String,
    /// The playbook that it starts.
    pub starts: String,
}

/// The circle that a trigger closes among others: playbooks in their order, the first one again at the end.
#[must_use]
pub fn circle(new: &Edge, others: &[Edge]) -> Option<Vec<String>> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in others {
        next.entry(&edge.after).or_default().push(&edge.starts);
    }
    let mut seen = BTreeSet::from([new.starts.as_str()]);
    let mut paths = vec![vec![new.after.as_str(), new.starts.as_str()]];
    while let Some(path) = paths.pop() {
        let last = path.last().copied().unwrap_or_default();
        if last == new.after {
            return Some(path.into_iter().map(str::to_owned).collect());
        }
        for step in next.get(last).into_iter().flatten() {
            if *step == new.after || seen.insert(step) {
                paths.push(path.iter().copied().chain([*step]).collect());
            }
        }
    }
    None
}
