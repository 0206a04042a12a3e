//! Which passages fit words best.

use std::collections::{BTreeSet, HashMap};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::passages::Passage;

/// Passages with their words, counted once.
pub(crate) struct Ranked<'p> {
    passages: Vec<(&'p Passage, BTreeSet<String>)>,
    /// In how many passages a word is.
    spread: HashMap<String, f64>,
    /// Whether they are to answer a question: what says little beside its words answers little.
    answers: bool,
}

/// So many words beside those of the question make an answer.
const NEW_WORDS: usize = 3;

impl<'p> Ranked<'p> {
    pub(crate) fn of(passages: &'p [Passage], answers: bool) -> Self {
        let passages: Vec<_> =
            passages.iter().map(|passage| (passage, words(&passage.text))).collect();
        let mut spread = HashMap::new();
        for word in passages.iter().flat_map(|(_, words)| words) {
            *spread.entry(word.clone()).or_insert(0.0) += 1.0;
        }
        Self { passages, spread, answers }
    }

    /// The best passages for these words, the best first, none nearly twice. Where no word is found, those that say what
    /// most of the others say.
    pub(crate) fn best(&self, asked: &str, most: usize) -> Vec<&'p Passage> {
        let asked = words(asked);
        let mut scored: Vec<(f64, usize)> =
            (0..self.passages.len()).map(|n| (self.score(&asked, n), n)).collect();
        // Of equals the first: the order of the data.
        scored.sort_by(|(a, n), (b, m)| b.total_cmp(a).then(n.cmp(m)));
        let mut chosen: Vec<usize> = Vec::new();
        for (_, n) in scored {
            if chosen.len() == most {
                break;
            }
            if chosen.iter().all(|&other| !self.alike(n, other)) {
                chosen.push(n);
            }
        }
        chosen.into_iter().map(|n| self.passages[n].0).collect()
    }

    /// Rare words of the task count most; words that many passages share decide between those without any.
    fn score(&self, asked: &BTreeSet<String>, n: usize) -> f64 {
        let words = &self.passages[n].1;
        let all = count(self.passages.len());
        let spread = |word: &String| self.spread.get(word).copied().unwrap_or(1.0);
        let found: f64 =
            asked.intersection(words).map(|word| (1.0 + all / spread(word)).ln()).sum();
        let new = words.difference(asked).count().min(NEW_WORDS);
        let found = if self.answers { found * count(new) / count(NEW_WORDS) } else { found };
        let typical: f64 = words.iter().map(|word| spread(word) / all).sum();
        let length = count(words.len()) + 1.0;
        found / (1.0 + length.ln()) + 0.1 * typical / length
    }

    /// Whether two passages say nearly the same.
    fn alike(&self, n: usize, other: usize) -> bool {
        let (a, b) = (&self.passages[n].1, &self.passages[other].1);
        let shared = count(a.intersection(b).count());
        shared >= 0.8 * count(a.union(b).count())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and passages are small")]
fn count(n: usize) -> f64 {
    n as f64
}

/// The words of a text, in lower case: those of more than two characters, and numbers.
pub fn words(text: &str) -> BTreeSet<String> {
    let words = text.unicode_words().map(str::to_lowercase);
    words.filter(|word| word.chars().count() > 2 || word.chars().any(char::is_numeric)).collect()
}
