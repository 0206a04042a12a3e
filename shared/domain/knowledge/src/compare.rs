//! The one judgement all matching shares: how alike are two names of the same kind?
//!
//! Persons are compared part by part, organisations word by word; Jaro-Winkler measures a part or a word, never the
//! whole line alone. Each doubt has a ceiling, so that a score says which band (K-71) the pair belongs to:
//! a lone initial, a suffix on one side only or a misspelt surname without a second witness stays below 0.85.

mod reading;

use strsim::{jaro_winkler, osa_distance};

use crate::nicknames;
use crate::organisation::OrganisationName;
use crate::person::PersonName;

pub use self::reading::Reading;

/// How alike two names are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// 0 to 1.
    pub score: f64,
    /// Jaro-Winkler over the whole folded names, for the record.
    pub jaro_winkler: f64,
    /// Whether both are the same name after normalising.
    pub exact: bool,
    /// Whether the names themselves say that these are two: `JR` against `SR`, lodge 12 against lodge 14.
    pub conflict: bool,
    /// Whether a shared acquaintance may settle the doubt: not where a suffix stands on one side only.
    pub context_helps: bool,
}

impl Likeness {
    fn conflict() -> Self {
        Self { score: 0.0, jaro_winkler: 0.0, exact: false, conflict: true, context_helps: false }
    }
}

/// Compares two readings; of different kinds they have nothing in common.
#[must_use]
pub fn compare(a: &Reading, b: &Reading) -> Likeness {
    match (a, b) {
        (Reading::Person(a), Reading::Person(b)) => persons(a, b),
        (Reading::Organisation(a), Reading::Organisation(b)) => organisations(a, b),
        (Reading::Plain(a), Reading::Plain(b)) => {
            let similarity = jaro_winkler(a, b);
            let score = if a == b { 1.0 } else { similarity.min(0.84) };
            Likeness {
                score,
                jaro_winkler: similarity,
                exact: a == b && !a.is_empty(),
                conflict: false,
                context_helps: true,
            }
        }
        _ => Likeness {
            score: 0.0,
            jaro_winkler: 0.0,
            exact: false,
            conflict: false,
            context_helps: false,
        },
    }
}

/// A part's factor and the highest total it allows.
#[derive(Clone, Copy)]
struct Part {
    factor: f64,
    ceiling: f64,
}

const fn part(factor: f64, ceiling: f64) -> Part {
    Part { factor, ceiling }
}

/// `OYELARAN-PIKE` on one side may stand as `OYELARAN PIKE`, read as a middle name and a surname, on the other. The
/// reading that fits better counts.
fn persons(a: &PersonName, b: &PersonName) -> Likeness {
    let direct = as_read(a, b);
    let shifted = [doubled(a, b).map(|a| as_read(&a, b)), doubled(b, a).map(|b| as_read(a, &b))];
    let mut best = direct;
    for mut other in shifted.into_iter().flatten() {
        other.exact = false;
        other.score = other.score.min(0.97);
        if other.score > best.score {
            best = other;
        }
    }
    best
}

/// The same name with its last middle name read as the first half of a double surname, when the other has one.
fn doubled(name: &PersonName, other: &PersonName) -> Option<PersonName> {
    let fits = other.surname.contains(' ') && !name.surname.contains(' ');
    let half = name.middles.last().filter(|middle| fits && middle.len() > 1)?;
    let surname = format!("{half} {}", name.surname);
    let middles = name.middles[..name.middles.len() - 1].to_vec();
    Some(PersonName { surname, middles, ..name.clone() })
}

fn as_read(a: &PersonName, b: &PersonName) -> Likeness {
    if a.is_empty() || b.is_empty() {
        return Likeness { conflict: false, ..Likeness::conflict() };
    }
    if matches!((a.suffix, b.suffix), (Some(x), Some(y)) if x != y) {
        return Likeness::conflict();
    }
    let whole = jaro_winkler(&line(a), &line(b));
    let exact = a.key() == b.key();
    if exact {
        // A bare surname is not enough to say that two people are one.
        let score = if a.given.is_empty() { 0.75 } else { 1.0 };
        return Likeness {
            score,
            jaro_winkler: whole,
            exact: !a.given.is_empty(),
            conflict: false,
            context_helps: true,
        };
    }
    let one_suffix = a.suffix.is_some() != b.suffix.is_some();
    let middle = middles(a, b);
    let witness = middle.factor >= 0.98 && !a.middles.is_empty() && !b.middles.is_empty();
    let surname = surnames(&a.surname, &b.surname, witness);
    let given = givens(a, b, witness);
    let suffix = if one_suffix { part(0.9, 0.82) } else { part(1.0, 1.0) };
    let parts = [surname, given, middle, suffix];
    let product: f64 = parts.iter().map(|p| p.factor).product();
    let ceiling = parts.iter().map(|p| p.ceiling).fold(0.99, f64::min);
    Likeness {
        score: product.min(ceiling),
        jaro_winkler: whole,
        exact: false,
        conflict: false,
        context_helps: !one_suffix,
    }
}

fn line(name: &PersonName) -> String {
    let mut line = format!("{} {}", name.surname, name.given);
    for middle in &name.middles {
        line.push(' ');
        line.push_str(middle);
    }
    line
}

/// `witness`: the middle names speak for the same person.
fn surnames(a: &str, b: &str, witness: bool) -> Part {
    if a == b || a.replace(' ', "") == b.replace(' ', "") {
        return part(1.0, 1.0);
    }
    let shares_part =
        a.split(' ').any(|word| word.len() > 3 && b.split(' ').any(|other| other == word));
    if shares_part && (a.contains(' ') || b.contains(' ')) {
        return part(0.92, if witness { 0.92 } else { 0.84 });
    }
    let similarity = jaro_winkler(a, b);
    let longest = a.len().max(b.len());
    let slip = osa_distance(a, b) <= if longest >= 9 { 2 } else { 1 };
    if slip && longest >= 5 && similarity >= 0.85 {
        return part(similarity, if witness { 0.95 } else { 0.84 });
    }
    part(similarity * 0.7, 0.65)
}

fn givens(a: &PersonName, b: &PersonName, witness: bool) -> Part {
    let (x, y) = (a.given.as_str(), b.given.as_str());
    if x.is_empty() || y.is_empty() {
        return part(0.75, 0.75);
    }
    if x == y {
        return part(1.0, if x.len() == 1 && !witness { 0.84 } else { 1.0 });
    }
    let nick = |name: &PersonName, other: &str| {
        name.nickname.as_deref().is_some_and(|nick| same_given(nick, other))
    };
    if nicknames::equivalent(x, y) || nick(a, y) || nick(b, x) {
        return part(0.95, 0.95);
    }
    if x.len() == 1 || y.len() == 1 {
        let (short, long) = if x.len() == 1 { (x, y) } else { (y, x) };
        let fits = short
            .chars()
            .next()
            .is_some_and(|initial| nicknames::initials(long).contains(&initial));
        return if fits {
            part(if witness { 0.9 } else { 0.8 }, 0.9)
        } else {
            middle_as_given(a, b)
        };
    }
    let similarity = jaro_winkler(x, y);
    if osa_distance(x, y) <= 1 && x.len().min(y.len()) >= 4 {
        return part(similarity.min(0.92), if witness { 0.92 } else { 0.8 });
    }
    let prefix = x.len().min(y.len()) >= 3 && (x.starts_with(y) || y.starts_with(x));
    if prefix {
        return part(0.88, if witness { 0.88 } else { 0.82 });
    }
    middle_as_given(a, b)
}

fn same_given(a: &str, b: &str) -> bool {
    a == b || nicknames::equivalent(a, b)
}

/// `J ROBERT SMITH` against `ROBERT SMITH`: a person who goes by the middle name.
fn middle_as_given(a: &PersonName, b: &PersonName) -> Part {
    let goes_by = |full: &PersonName, short: &PersonName| {
        full.middles.iter().any(|middle| middle.len() > 1 && same_given(middle, &short.given))
    };
    if goes_by(a, b) || goes_by(b, a) { part(0.82, 0.82) } else { part(0.5, 0.5) }
}

fn middles(a: &PersonName, b: &PersonName) -> Part {
    if a.middles.is_empty() && b.middles.is_empty() {
        return part(0.98, 1.0);
    }
    if a.middles.is_empty() || b.middles.is_empty() {
        return part(0.95, 1.0);
    }
    let fits = |x: &str, y: &str| {
        x == y
            || nicknames::equivalent(x, y)
            || ((x.len() == 1 || y.len() == 1) && x.chars().next() == y.chars().next())
    };
    let pairs = a.middles.iter().zip(&b.middles);
    if pairs.clone().all(|(x, y)| fits(x, y)) {
        return part(if a.middles.len() == b.middles.len() { 1.0 } else { 0.98 }, 1.0);
    }
    let slip = pairs.clone().all(|(x, y)| fits(x, y) || (x.len() > 3 && osa_distance(x, y) <= 1));
    let goes_by = a.given.len() > 1 && b.middles.contains(&a.given)
        || b.given.len() > 1 && a.middles.contains(&b.given);
    if slip || goes_by { part(0.95, 0.84) } else { part(0.6, 0.6) }
}

fn organisations(a: &OrganisationName, b: &OrganisationName) -> Likeness {
    let (x, y) = (a.key(), b.key());
    let whole = jaro_winkler(&x, &y);
    let like = |score: f64, exact: bool| Likeness {
        score,
        jaro_winkler: whole,
        exact,
        conflict: false,
        context_helps: true,
    };
    if x.is_empty() || y.is_empty() {
        return like(0.0, false);
    }
    if x == y || x.replace(' ', "") == y.replace(' ', "") {
        let clash = matches!((&a.legal_form, &b.legal_form), (Some(p), Some(q)) if p != q);
        return if clash {
            like(0.84, false)
        } else {
            like(if x == y { 1.0 } else { 0.96 }, x == y)
        };
    }
    if numbers(a) != numbers(b) {
        return Likeness::conflict();
    }
    if is_acronym(a, b) || is_acronym(b, a) {
        return like(0.75, false);
    }
    let alike = Words::pair(&a.words, &b.words);
    let ceiling = match (alike.left_alone, alike.right_alone) {
        (0, 0) if alike.misspelt == 0 => 0.97,
        (0, 0) if a.words.len() > 1 => 0.95,
        (0, 0) => 0.84,
        (0, _) | (_, 0) => 0.82,
        _ => 0.69,
    };
    let score = 0.35 * whole + 0.65 * alike.share;
    like(
        if alike.left_alone + alike.right_alone == 0 {
            score.max(0.9 * alike.share)
        } else {
            score
        }
        .min(ceiling),
        false,
    )
}

fn numbers(name: &OrganisationName) -> Vec<&str> {
    name.words
        .iter()
        .map(String::as_str)
        .filter(|w| w.bytes().any(|b| b.is_ascii_digit()))
        .collect()
}

fn is_acronym(short: &OrganisationName, long: &OrganisationName) -> bool {
    short.words.len() == 1
        && long.words.len() > 2
        && short.words[0].len() > 2
        && short.words[0] == long.acronym()
}

/// How the words of two names pair up.
struct Words {
    share: f64,
    left_alone: usize,
    right_alone: usize,
    misspelt: usize,
}

impl Words {
    fn pair(a: &[String], b: &[String]) -> Self {
        let mut free: Vec<&String> = b.iter().collect();
        let (mut sum, mut left_alone, mut misspelt) = (0.0, 0, 0);
        let mut rest = Vec::new();
        for word in a {
            if let Some(place) = free.iter().position(|other| *other == word) {
                free.remove(place);
                sum += 1.0;
            } else {
                rest.push(word);
            }
        }
        for word in rest {
            let best = free
                .iter()
                .enumerate()
                .filter(|(_, other)| is_slip(word, other))
                .map(|(i, other)| (i, jaro_winkler(word, other)));
            match best.max_by(|p, q| p.1.total_cmp(&q.1)) {
                Some((place, similarity)) => {
                    free.remove(place);
                    sum += similarity;
                    misspelt += 1;
                }
                None => left_alone += usize::from(!is_small(word)),
            }
        }
        let right_alone = free.iter().filter(|w| !is_small(w)).count();
        Self { share: 2.0 * sum / (a.len() + b.len()) as f64, left_alone, right_alone, misspelt }
    }
}

fn is_small(word: &str) -> bool {
    matches!(word, "OF" | "FOR" | "THE" | "IN" | "AT" | "TO" | "A")
}

/// A typing slip or a plural, not another word: `HARBOR` and `HARBOUR`, not `NORTH` and `SOUTH`.
fn is_slip(a: &str, b: &str) -> bool {
    let longest = a.len().max(b.len());
    let shortest = a.len().min(b.len());
    let allowed = if longest >= 8 { 2 } else { 1 };
    shortest >= 4 && osa_distance(a, b) <= allowed && a.as_bytes()[0] == b.as_bytes()[0]
}

#[cfg(test)]
mod tests;
