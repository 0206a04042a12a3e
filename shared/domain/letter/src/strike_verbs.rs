//! A strike in words: what was struck out and what was brought back, wherever it is told.

/// The verbs of a strike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrikeVerbs {
    /// Somebody has done it: `struck out 2 and brought back 1`.
    Past,
    /// The reader is about to do it: `strike out 2 rows and bring back 1 row`.
    Infinitive,
}

impl StrikeVerbs {
    /// Both parts in words; a part that is none is left out.
    #[must_use]
    pub fn words(self, struck: Option<String>, restored: Option<String>) -> String {
        let (strike, restore) = match self {
            Self::Past => ("struck out", "brought back"),
            Self::Infinitive => ("strike out", "bring back"),
        };
        let part = |verb: &str, what: Option<String>| what.map(|what| format!("{verb} {what}"));
        let parts = [part(strike, struck), part(restore, restored)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }

    /// The same with a number for each part: `struck out 2 and brought back 1`.
    #[must_use]
    pub fn counts(self, struck: u64, restored: u64) -> String {
        let some = |count: u64| (count > 0).then(|| count.to_string());
        self.words(some(struck), some(restored))
    }
}

#[cfg(test)]
mod tests {
    use super::StrikeVerbs;

    #[test]
    fn k_09_only_what_happens_is_told() {
        assert_eq!(StrikeVerbs::Past.counts(2, 0), "struck out 2");
        assert_eq!(StrikeVerbs::Past.counts(0, 1), "brought back 1");
        assert_eq!(StrikeVerbs::Past.counts(2, 1), "struck out 2 and brought back 1");
        let rows = |count: &str| Some(format!("{count} rows"));
        let asked = StrikeVerbs::Infinitive.words(rows("2"), rows("3"));
        assert_eq!(asked, "strike out 2 rows and bring back 3 rows");
    }
}
