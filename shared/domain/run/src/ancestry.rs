//! What led to a run: the triggers and monitors on the way, so that none of them goes round in circles.

/// So many others are kept: more than a person may have triggers and monitors.
const MAX_OTHERS: usize = 300;

/// What led to a run, or to what a monitor has found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// The ids of triggers and monitors one after the other, the first one in front: where there are several ways, the longest.
    pub chain: Vec<String>,
    /// Those on the other ways.
    pub others: Vec<String>,
}

impl Ancestry {
    /// Nothing led to it.
    pub const NONE: Self = Self { chain: Vec::new(), others: Vec::new() };

    /// Whether this trigger or monitor is one of them.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.chain.iter().chain(&self.others).any(|one| one == id)
    }

    /// What led to something that several ways led to.
    #[must_use]
    pub fn merged(ways: impl IntoIterator<Item = Self>) -> Self {
        let mut ways: Vec<Self> = ways.into_iter().collect();
        ways.sort_by_key(|way| std::cmp::Reverse(way.chain.len()));
        let mut ways = ways.into_iter();
        let mut all = ways.next().unwrap_or_default();
        for one in ways.flat_map(|way| way.chain.into_iter().chain(way.others)) {
            if all.others.len() < MAX_OTHERS && !all.has(&one) {
                all.others.push(one);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(chain: &[&str]) -> Ancestry {
        let chain = chain.iter().map(|one| (*one).to_owned()).collect();
        Ancestry { chain, others: Vec::new() }
    }

    #[test]
    fn issue_14_of_several_ways_the_longest_is_the_chain_and_nobody_is_forgotten() {
        assert_eq!(Ancestry::merged([]), Ancestry::default());
        let all = Ancestry::merged([way(&["a"]), way(&["b", "c"]), way(&["a", "b"]), way(&[])]);
        assert_eq!(all, Ancestry { others: vec!["a".to_owned()], ..way(&["b", "c"]) });
        assert!(all.has("a") && all.has("c") && !all.has("d"));
        let many: Vec<String> = (0..200).map(|n| format!("mon_{n}")).collect();
        let all = Ancestry::merged(many.iter().map(|one| way(&[one])));
        assert_eq!(all.chain.len(), 1, "how many there are is not how many stand in a row");
        assert!(many.iter().all(|one| all.has(one)));
    }
}
