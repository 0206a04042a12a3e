//! Passages ranked by the words of a query (Okapi BM25).

use std::collections::BTreeMap;

use super::passages::{Passage, passages};

/// How soon further occurrences of a word count less; a usual value.
const SATURATION: f64 = 1.2;
/// How much a passage that is longer than others has to have more of the words; a usual value.
const LENGTH: f64 = 0.75;

/// So many words of a query count, the first ones: each is counted in every passage that is kept.
pub(super) const MAX_WORDS: usize = 32;

/// The documents that were looked at, as far as a query needs them.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// The words of the query, each once.
    terms: Vec<String>,
    /// Whether it has more of them.
    is_cut: bool,
    /// In how many passages each of them is.
    within: Vec<u32>,
    /// How many passages there are.
    passages: u32,
    /// How many words they have together.
    words: u32,
    hits: Vec<Hit>,
}

/// A passage with a word of the query.
#[derive(Debug)]
struct Hit {
    document: usize,
    line: usize,
    text: String,
    /// How often it has each word of the query.
    counts: Vec<u32>,
    words: u32,
}

/// The best passage of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Best {
    /// Which document.
    pub(super) document: usize,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) score: f64,
}

/// The best passages.
#[derive(Debug)]
pub(super) struct AllBest {
    pub(super) all: Vec<Best>,
    /// How many documents have a word of the query.
    pub(super) found: usize,
}

impl Ranking {
    /// Nothing yet, for this query.
    pub(super) fn of(query: &str) -> Self {
        let mut terms: Vec<String> = Vec::new();
        let mut is_cut = false;
        for word in words(query).filter(|word| !word.is_empty()) {
            if terms.contains(&word) {
                continue;
            }
            is_cut |= terms.len() >= MAX_WORDS;
            if terms.len() < MAX_WORDS {
                terms.push(word);
            }
        }
        terms.sort();
        Self { within: vec![0; terms.len()], terms, is_cut, ..Self::default() }
    }

    /// Whether only the first words of the query count.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether the query has no words.
    pub(super) fn has_no_words(&self) -> bool {
        self.terms.is_empty()
    }

    /// Takes a document up. Its title counts with its first passage.
    pub(super) fn add(&mut self, document: usize, title: &str, text: &str) {
        for (n, passage) in passages(text).into_iter().enumerate() {
            let title = if n == 0 { title } else { "" };
            self.add_passage(document, title, passage);
        }
    }

    fn add_passage(&mut self, document: usize, title: &str, passage: Passage<'_>) {
        let (mut counts, mut total) = (vec![0; self.terms.len()], 0_u32);
        for word in words(title).chain(words(passage.text)) {
            total = total.saturating_add(1);
            if let Ok(at) = self.terms.binary_search(&word) {
                counts[at] += 1;
            }
        }
        self.passages = self.passages.saturating_add(1);
        self.words = self.words.saturating_add(total);
        for (within, count) in self.within.iter_mut().zip(&counts) {
            *within += u32::from(*count > 0);
        }
        if counts.iter().any(|count| *count > 0) {
            let Passage { line, text } = passage.trimmed();
            self.hits.push(Hit { document, line, text: text.to_owned(), counts, words: total });
        }
    }

    /// The best passage of each document that has a word of the query, the best first; at most so many, and how many there are.
    pub(super) fn best(&self, most: usize) -> AllBest {
        let mut best: BTreeMap<usize, (f64, &Hit)> = BTreeMap::new();
        for hit in &self.hits {
            let score = self.score(hit);
            let known = best.entry(hit.document).or_insert((score, hit));
            if score > known.0 {
                *known = (score, hit);
            }
        }
        let found = best.len();
        let mut best: Vec<(f64, &Hit)> = best.into_values().collect();
        best.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let best = best.into_iter().take(most).map(|(score, hit)| Best {
            document: hit.document,
            line: hit.line,
            text: hit.text.clone(),
            score,
        });
        AllBest { all: best.collect(), found }
    }

    fn score(&self, hit: &Hit) -> f64 {
        let average = f64::from(self.words.max(1)) / f64::from(self.passages.max(1));
        let long = 1.0 - LENGTH + LENGTH * f64::from(hit.words) / average;
        let of_term = |(count, within): (&u32, &u32)| {
            let (count, within) = (f64::from(*count), f64::from(*within));
            let rare = ((f64::from(self.passages) - within + 0.5) / (within + 0.5)).ln_1p();
            rare * count * (SATURATION + 1.0) / (count + SATURATION * long)
        };
        hit.counts.iter().zip(&self.within).map(of_term).sum()
    }
}

/// The words of a text: letters and digits, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Best, Ranking};

    fn ranked(query: &str, texts: &[&str]) -> Vec<Best> {
        let mut ranking = Ranking::of(query);
        for (n, text) in texts.iter().enumerate() {
            ranking.add(n, "", text);
        }
        ranking.best(usize::MAX).all
    }

    #[track_caller]
    fn check(query: &str, texts: &[&str], expect: &[usize]) {
        let found: Vec<usize> = ranked(query, texts).iter().map(|one| one.document).collect();
        assert_eq!(found, expect, "{query}");
    }

    #[test]
    fn f_044_rare_words_and_several_of_them_count_more() {
        let texts = ["the owl", "the boat and the pier", "the owl on the pier", "Größe: 3"];
        check("owl pier", &texts, &[2, 0, 1]);
        check("BOAT", &texts, &[1]);
        check("größe", &texts, &[3]);
        check("submarine", &texts, &[]);
        check("?!", &texts, &[]);
    }

    #[test]
    fn f_044_a_document_is_found_once_with_its_best_passage_or_by_its_title() {
        let long = format!("owl {}\n\nowl owl owl\n", "filler ".repeat(112));
        let found = ranked("owl", &[&long]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].text.as_str(), found[0].line), ("owl owl owl", 3));
        let mut ranking = Ranking::of("grants");
        ranking.add(7, "Grants 2026", "");
        assert_eq!(ranking.best(1).all[0].document, 7);
    }

    #[test]
    fn f_044_of_a_long_query_the_first_words_count() {
        let query: Vec<String> = (0..40).map(|n| format!("w{n}")).collect();
        let mut ranking = Ranking::of(&query.join(" "));
        assert!(ranking.is_cut());
        ranking.add(0, "", "w39");
        ranking.add(1, "", "w31");
        let found = ranking.best(9);
        assert_eq!((found.found, found.all[0].document), (1, 1));
        assert!(!Ranking::of("owl owl pier").is_cut());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn f_044_what_is_found_has_a_word_and_is_sorted(
            query in "[a-c ]{0,8}",
            texts in prop::collection::vec("[a-d \n]{0,60}", 0..8),
            most in 0_usize..6,
        ) {
            let mut ranking = Ranking::of(&query);
            for (n, text) in texts.iter().enumerate() {
                ranking.add(n, "", text);
            }
            let found = ranking.best(most);
            prop_assert!(found.all.len() <= most && found.all.len() <= found.found);
            let found = found.all;
            prop_assert!(found.windows(2).all(|two| two[0].score >= two[1].score));
            for one in found {
                prop_assert!(one.score > 0.0);
                let has = query.split_whitespace().any(|word| one.text.split_whitespace().any(|own| own == word));
                prop_assert!(has, "{:?}", one);
            }
        }
    }
}
