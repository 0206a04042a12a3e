//! How much of one sentence another one says, by their words. Endings and misspellings count little, small words nothing.

use std::collections::BTreeSet;

/// Words that say nothing of what is asked.
const SMALL: [&str; 52] = [
    "a", "about", "all", "an", "and", "any", "are", "at", "be", "by", "can", "could", "did", "do",
    "does", "for", "from", "has", "have", "how", "i", "in", "is", "it", "its", "me", "my", "of",
    "on", "or", "our", "please", "show", "tell", "that", "the", "their", "them", "there", "these",
    "this", "to", "us", "was", "we", "were", "what", "which", "who", "with", "would", "you",
];

/// Words of a text that are compared; more make no question clearer.
const MAX_WORDS: usize = 500;

/// How alike two words must be to count at all.
const LEAST_ALIKE: f64 = 0.6;

/// The share of the words of `pattern` that `text` says, 0 to 1.
pub(super) fn said(pattern: &str, text: &str) -> f64 {
    let (wanted, given) = (words(pattern), words(text));
    if wanted.is_empty() {
        return 0.0;
    }
    let closest = |word: &String| given.iter().map(|other| alike(word, other)).fold(0.0, f64::max);
    let sum: f64 = wanted.iter().map(closest).sum();
    sum / count(wanted.len())
}

/// Whether a pattern has words that are compared.
pub(super) fn has_words(pattern: &str) -> bool {
    !words(pattern).is_empty()
}

/// Hundredths, for ranks that can be compared exactly.
pub(super) fn hundredths(share: f64) -> u32 {
    (0..=100_u32).rev().find(|n| f64::from(*n) <= share * 100.0 + 1e-9).unwrap_or(0)
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.take(MAX_WORDS).map(str::to_lowercase);
    words.filter(|word| !SMALL.contains(&word.as_str())).map(|word| stem(&word)).collect()
}

/// A word without the commonest English endings.
fn stem(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies").filter(|root| root.len() > 2) {
        return format!("{root}y");
    }
    for ending in ["ing", "ed", "es", "s"] {
        if let Some(root) = word.strip_suffix(ending).filter(|root| root.chars().count() > 2) {
            return root.to_owned();
        }
    }
    word.to_owned()
}

/// 1 for the same word, less for one that shares most of its letters in order, else 0.
fn alike(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = (pairs(a), pairs(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let shared = a.intersection(&b).count();
    let dice = 2.0 * count(shared) / count(a.len() + b.len());
    if dice >= LEAST_ALIKE { dice } else { 0.0 }
}

fn pairs(word: &str) -> BTreeSet<(char, char)> {
    word.chars().zip(word.chars().skip(1)).collect()
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, expect: u32) {
        assert_eq!(hundredths(said(pattern, text)), expect, "{pattern} / {text}");
    }

    #[test]
    fn f_134_the_share_of_words_that_are_said() {
        check("track donations", "Please track the donation of Ann", 100);
        check("track donations", "donations", 50);
        check("track donations", "trakc", 0);
        check("the of", "anything", 0);
        check("companies", "company", 100);
    }
}
