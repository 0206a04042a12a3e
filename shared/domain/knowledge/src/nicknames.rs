//! Given names that stand for one another: short forms and spellings.

use std::collections::HashMap;
use std::sync::LazyLock;

/// One group per line; the first name is the full form. A short form may stand in several groups.
const GROUPS: &str = include_str!("../data/nicknames.txt");

static INDEX: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut index: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (group, line) in lines().enumerate() {
        for name in line.split_whitespace() {
            index.entry(name).or_default().push(group);
        }
    }
    index
});

static HEADS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect()
});

fn lines() -> impl Iterator<Item = &'static str> {
    GROUPS.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Whether one of two folded given names is a usual form of the other.
pub(crate) fn equivalent(a: &str, b: &str) -> bool {
    match (INDEX.get(a), INDEX.get(b)) {
        (Some(of_a), Some(of_b)) => of_a.iter().any(|group| of_b.contains(group)),
        _ => false,
    }
}

/// The initials a given name may appear under: its own and those of the full forms it stands for.
pub(crate) fn initials(name: &str) -> Vec<char> {
    let own = name.chars().next();
    let full =
        INDEX.get(name).into_iter().flatten().filter_map(|group| HEADS.get(*group)?.chars().next());
    let mut initials: Vec<char> = own.into_iter().chain(full).collect();
    initials.sort_unstable();
    initials.dedup();
    initials
}

#[cfg(test)]
mod tests {
    use super::{equivalent, initials};

    fn check(a: &str, b: &str, expect: bool) {
        assert_eq!(equivalent(a, b), expect, "{a} {b}");
        assert_eq!(equivalent(b, a), expect, "{b} {a}");
    }

    #[test]
    fn short_forms_stand_for_full_ones_only() {
        check("BOB", "ROBERT", true);
        check("PEGGY", "MARGARET", true);
        check("KATHRYN", "CATHERINE", true);
        check("ALEX", "ALEXANDRA", true);
        check("ALEXANDER", "ALEXANDRA", false);
        check("ROBERT", "RICHARD", false);
    }

    #[test]
    fn bob_is_found_under_b_and_r() {
        assert_eq!(initials("BOB"), ['B', 'R']);
    }
}
