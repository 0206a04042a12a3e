//! Numbers as people write them: `1,250.50`, `$4,200`, `2.5 million`, `3k`, `twenty-five`, `two thousand`.

use countersign_decimal::moved;
use serde_json::Value;

use crate::Found;
use crate::words::{Word, scanned};

/// Digits and the power of ten they are multiplied by: 2.5 million is 25 and 5.
struct Exact {
    digits: i128,
    power: i32,
}

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// The numbers among words. A decimal is a text with its digits.
pub(crate) fn found(words: &[Word<'_>], is_decimal: bool) -> Vec<Found> {
    scanned(words, |at| {
        // `half a million`, `two and a half million`, `between 2 and 5 million`: a part of it would be another number.
        if let Some(taken) = fraction(&words[at..]).or_else(|| bare_of_a_range(&words[at..])) {
            return Some((None, taken));
        }
        let (exact, taken) = number(&words[at..])?;
        Some((exact.value(is_decimal).map(|value| (value, None)), taken))
    })
}

/// A whole number of a word, such as the day of a month or how many weeks ago.
pub(crate) fn small(word: &Word<'_>) -> Option<i64> {
    let text = word.text.to_lowercase();
    let plain = ["st", "nd", "rd", "th"].into_iter().find_map(|end| text.strip_suffix(end));
    let digits = plain.unwrap_or(&text);
    digits
        .parse()
        .ok()
        .or_else(|| in_words(&text).map(i64::from))
        .filter(|n| (0..=9_999).contains(n))
}

/// How many words a number with a fraction in words is that words begin with.
fn fraction(words: &[Word<'_>]) -> Option<usize> {
    let is_part =
        |word: &Word<'_>| ["half", "quarter", "quarters"].iter().any(|part| word.is(part));
    let whole = number(words).map_or(0, |(_, taken)| taken);
    let joined = ["and", "a", "three"];
    let between = words[whole..].iter().take_while(|word| joined.iter().any(|one| word.is(one)));
    let part = whole + between.count();
    words.get(part).filter(|word| is_part(word))?;
    let rest = words[part + 1..]
        .iter()
        .take_while(|word| word.is("a") || word.is("of") || multiplier(word).is_some());
    Some(part + 1 + rest.count())
}

/// How many words the first number of a range is whose second one alone has a multiplier: whether that counts for both is not
/// said.
fn bare_of_a_range(words: &[Word<'_>]) -> Option<usize> {
    let has_multiplier = |words: &[Word<'_>], taken: usize| {
        let last = &words[taken - 1];
        multiplier(last).is_some() || digits(last.text).is_some_and(|exact| exact.power >= 3)
    };
    let (_, taken) = number(words).filter(|(_, taken)| !has_multiplier(words, *taken))?;
    words.get(taken).filter(|word| ["and", "to", "or"].iter().any(|one| word.is(one)))?;
    let second = &words[taken + 1..];
    let (_, length) = number(second)?;
    has_multiplier(second, length).then_some(taken)
}

/// The number that words begin with, and how many words it is.
fn number(words: &[Word<'_>]) -> Option<(Exact, usize)> {
    let first = words.first()?;
    let (exact, taken) = match digits(first.text) {
        Some(exact) => (exact, 1),
        None => spelled(words)?,
    };
    let powers: Vec<i32> = words[taken..].iter().map_while(multiplier).collect();
    // `one` and `a` alone are rarely numbers.
    if powers.is_empty() && taken == 1 && (first.is("one") || first.is("a")) {
        return None;
    }
    let power = exact.power + powers.iter().sum::<i32>();
    Some((Exact { power, ..exact }, taken + powers.len()))
}

fn multiplier(word: &Word<'_>) -> Option<i32> {
    let powers = [("hundred", 2), ("thousand", 3), ("million", 6), ("billion", 9)];
    powers.into_iter().find_map(|(name, power)| word.is(name).then_some(power))
}

/// `-1,250.50`, `3k`, `2.5m`.
fn digits(text: &str) -> Option<Exact> {
    let lower = text.to_lowercase();
    let (plain, power) = [("bn", 9), ("k", 3), ("m", 6)]
        .into_iter()
        .find_map(|(end, power)| Some((lower.strip_suffix(end)?, power)))
        .unwrap_or((lower.as_str(), 0));
    let (sign, plain) = plain.strip_prefix('-').map_or((1, plain), |plain| (-1, plain));
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let whole = ungrouped(whole)?;
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(fraction) || (plain.contains('.') && fraction.is_empty()) {
        return None;
    }
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let shift = i32::try_from(fraction.len()).ok()?;
    (whole.len() + fraction.len() <= 28)
        .then_some(Exact { digits: sign * digits, power: power - shift })
}

/// The digits of a whole number: in groups of three, or in one.
fn ungrouped(whole: &str) -> Option<String> {
    let groups: Vec<&str> = whole.split(',').collect();
    let is_digits = |group: &&str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let fits = groups.iter().all(is_digits)
        && (groups.len() == 1
            || (groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3)));
    fits.then(|| groups.concat())
}

/// `twenty-five`, `a`.
fn spelled(words: &[Word<'_>]) -> Option<(Exact, usize)> {
    let first = words.first()?.text.to_lowercase();
    let value = if first == "a" { 1 } else { in_words(&first)? };
    Some((Exact { digits: i128::from(value), power: 0 }, 1))
}

fn in_words(text: &str) -> Option<u8> {
    let at = |list: &[&str], word: &str| list.iter().position(|one| *one == word);
    let unit = |word: &str| at(&UNITS, word).and_then(|n| u8::try_from(n).ok());
    let ten = |word: &str| at(&TENS, word).and_then(|n| u8::try_from((n + 2) * 10).ok());
    match text.split_once('-') {
        Some((tens, units)) => Some(ten(tens)? + unit(units).filter(|n| (1..10).contains(n))?),
        None => unit(text).or_else(|| ten(text)),
    }
}

impl Exact {
    fn value(&self, is_decimal: bool) -> Option<Value> {
        let text = self.text()?;
        if is_decimal {
            return Some(Value::String(text));
        }
        serde_json::from_str(&text).ok()
    }

    fn text(&self) -> Option<String> {
        let power = u32::try_from(self.power.max(0)).ok().filter(|power| *power <= 12)?;
        let digits = self.digits.checked_mul(10_i128.checked_pow(power)?)?;
        let places = usize::try_from(-self.power.min(0)).ok()?;
        Some(moved(digits, places))
    }
}
