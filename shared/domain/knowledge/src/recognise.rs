//! Telling a person's name from an organisation's and a place's, by word lists and shape. No model is involved.
//!
//! [`classify`] judges one field that holds one name; [`spans`] finds names in running text (F-095). Every judgement
//! says by which [`Method`] it was made and how sure it is.

use serde::{Deserialize, Serialize};

use crate::fold::fold;
use crate::gazetteer::{
    is_given_name, is_organisation_word, is_place, is_state_code, is_surname_too,
};
use crate::model::{EntityType, MAX_NAME};
use crate::organisation::is_legal_form;
use crate::person::{is_honorific, is_particle, is_person_mark};

/// How an entity was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// A connector's rule named the field and the type.
    Rules,
    /// A word list knew the name or a word in it.
    Gazetteer,
    /// The shape of the text.
    Heuristic,
}

/// A judgement about one text.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    /// What it is.
    pub entity_type: EntityType,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// By which evidence.
    pub method: Method,
}

impl Guess {
    fn new(entity_type: EntityType, confidence: f64, method: Method) -> Self {
        Self { entity_type, confidence, method }
    }
}

/// The longest text that is taken for one name.
const MAX_NAME_WORDS: usize = 12;

/// The beginning of a text that is too long for one name, as far as [`classify`] judges it.
pub(crate) fn beginning(text: &str) -> String {
    let start: String = text.trim().chars().take(MAX_NAME).collect();
    start.split_whitespace().take(MAX_NAME_WORDS).collect::<Vec<&str>>().join(" ")
}

/// Judges a text that should be one name; `hint` is what its field suggests. `None`: it is not a name.
#[must_use]
pub fn classify(text: &str, hint: Option<&EntityType>) -> Option<Guess> {
    let shape = Shape::read(text)?;
    let rules = [place, organisation, person, by_shape];
    let guess = rules.iter().find_map(|rule| rule(&shape));
    match (guess, hint) {
        (Some(guess), Some(hint)) => Some(weigh(guess, hint)),
        (Some(guess), None) => Some(guess),
        (None, Some(hint)) => Some(Guess::new(hint.clone(), 0.6, Method::Heuristic)),
        (None, None) => None,
    }
}

/// A field's hint decides what evidence leaves open and adds to what it supports.
fn weigh(mut guess: Guess, hint: &EntityType) -> Guess {
    if guess.entity_type == *hint {
        guess.confidence = (guess.confidence + 0.1).min(0.99);
        guess
    } else if guess.confidence < 0.75 {
        Guess::new(hint.clone(), 0.65, Method::Heuristic)
    } else {
        guess
    }
}

/// A text taken apart once for all rules.
struct Shape<'a> {
    raw: &'a str,
    folded: String,
    words: Vec<String>,
}

impl<'a> Shape<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let raw = text.trim();
        let is_address = raw.contains('@') || raw.contains("://") || raw.starts_with("www.");
        let letters = raw.chars().filter(|c| c.is_alphabetic()).count();
        let digits = raw.chars().filter(char::is_ascii_digit).count();
        let folded = fold(raw);
        let words: Vec<String> =
            folded.split(' ').filter(|w| !w.is_empty()).map(str::to_owned).collect();
        let unfit = is_address
            || !raw.chars().any(char::is_uppercase)
            || letters < 2
            || digits > letters
            || words.is_empty()
            || words.len() > MAX_NAME_WORDS
            || raw.chars().count() > MAX_NAME;
        (!unfit).then_some(Self { raw, folded, words })
    }

    fn first(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn last(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    fn has_digit(&self) -> bool {
        self.folded.bytes().any(|b| b.is_ascii_digit())
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|w| w == word)
    }
}

fn place(shape: &Shape<'_>) -> Option<Guess> {
    if is_place(&shape.folded) {
        return Some(Guess::new(EntityType::Location, 0.9, Method::Gazetteer));
    }
    // `Springfield, IL` and `Springfield, Illinois 62701`
    let (city, state) = shape.raw.rsplit_once(',')?;
    let state = fold(state);
    let state = state.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let is_state = is_state_code(state) || is_place(state);
    let city = fold(city);
    let plain = !city.is_empty()
        && city.split(' ').count() <= 4
        && !city.split(' ').any(|w| is_organisation_word(w) || is_legal_form(w));
    (is_state && plain && !is_person_mark(state))
        .then(|| Guess::new(EntityType::Location, 0.88, Method::Gazetteer))
}

fn organisation(shape: &Shape<'_>) -> Option<Guess> {
    let words = &shape.words;
    let ends_in_form =
        words.len() > 1 && is_legal_form(shape.last()) && !is_person_mark(shape.last());
    if ends_in_form && !(shape.last() == "CO" && shape.raw.contains(',')) {
        return Some(Guess::new(EntityType::Org, 0.97, Method::Gazetteer));
    }
    const OPENINGS: [&str; 9] =
        ["CITY", "COUNTY", "TOWN", "STATE", "VILLAGE", "BANK", "UNIVERSITY", "DEPARTMENT", "BOARD"];
    if words.len() > 2 && words[1] == "OF" && OPENINGS.contains(&shape.first()) {
        return Some(Guess::new(EntityType::Org, 0.93, Method::Gazetteer));
    }
    let kinds = words.iter().filter(|w| is_organisation_word(w)).count();
    let name_end = words.iter().rev().find(|w| !is_person_mark(w)).map_or("", String::as_str);
    let is_surname =
        kinds == 1 && is_surname_too(name_end) && words.len() <= 4 && is_given_name(shape.first());
    let before_comma = shape.raw.split_once(',').map(|(before, _)| fold(before));
    let comma_surname = kinds == 1 && before_comma.is_some_and(|before| is_surname_too(&before));
    if kinds > 0 && !is_surname && !comma_surname && (words.len() > 1 || kinds == words.len()) {
        return Some(Guess::new(
            EntityType::Org,
            if kinds > 1 { 0.97 } else { 0.92 },
            Method::Gazetteer,
        ));
    }
    let joined = shape.has("AND") && words.len() >= 3 && !is_given_name(shape.first());
    let phrase = words.len() >= 3
        && (shape.first() == "THE"
            || words.iter().any(|w| {
                matches!(w.as_str(), "OF" | "FOR" | "TO" | "ON" | "THE" | "WITHOUT" | "AGAINST")
            }));
    let local = words.len() >= 2
        && words[words.len() - 2] == "LOCAL"
        && shape.last().bytes().all(|b| b.is_ascii_digit());
    if local {
        return Some(Guess::new(EntityType::Org, 0.9, Method::Heuristic));
    }
    (joined || phrase).then(|| Guess::new(EntityType::Org, 0.76, Method::Heuristic))
}

fn person(shape: &Shape<'_>) -> Option<Guess> {
    let words = &shape.words;
    if shape.has_digit() && !words.iter().any(|w| matches!(w.as_str(), "2ND" | "3RD" | "4TH")) {
        return None;
    }
    let count = words.len();
    if count >= 2 && is_honorific(shape.first()) && count <= 6 {
        return Some(Guess::new(EntityType::Person, 0.92, Method::Heuristic));
    }
    if let Some((surname, rest)) = shape.raw.split_once(',') {
        let rest = fold(rest);
        let given = rest.split(' ').next().unwrap_or_default();
        let short = fold(surname).split(' ').count() <= 3 && rest.split(' ').count() <= 4;
        if short && is_given_name(given) {
            return Some(Guess::new(EntityType::Person, 0.96, Method::Gazetteer));
        }
        if short && (is_person_mark(given) || given.len() == 1) && count >= 2 {
            return Some(Guess::new(EntityType::Person, 0.88, Method::Heuristic));
        }
    }
    if (3..=6).contains(&count) && is_person_mark(shape.last()) {
        return Some(Guess::new(EntityType::Person, 0.88, Method::Heuristic));
    }
    let core = words.iter().filter(|w| !is_person_mark(w)).count();
    if (2..=5).contains(&core) && is_given_name(shape.first()) {
        return Some(Guess::new(EntityType::Person, 0.93, Method::Gazetteer));
    }
    // `SMITH JOHN A`
    let initial_last = count == 3 && shape.last().len() == 1 && is_given_name(&words[1]);
    // `J R SMITH`, `XIOMARA Q VELEZ`
    let initial_inside = (3..=4).contains(&count) && words[1].len() == 1 && shape.last().len() > 1;
    let initial_first =
        (2..=4).contains(&count) && shape.first().len() == 1 && shape.last().len() > 2;
    (initial_last || initial_inside || initial_first)
        .then(|| Guess::new(EntityType::Person, 0.82, Method::Heuristic))
}

/// What no word list knows: two or three capitalised words, perhaps with a particle, look like a person.
fn by_shape(shape: &Shape<'_>) -> Option<Guess> {
    let count = shape.words.len();
    let plain =
        shape.words.iter().all(|w| w.len() > 1 && w.bytes().all(|b| b.is_ascii_alphabetic()));
    let capitalised = shape
        .raw
        .split_whitespace()
        .all(|w| w.chars().next().is_some_and(char::is_uppercase) || is_particle(&fold(w)));
    if !plain || !capitalised || shape.has_digit() {
        return None;
    }
    let particle = count > 2 && shape.words[1..count - 1].iter().any(|w| is_particle(w));
    let comma = count >= 2 && shape.raw.matches(',').count() == 1;
    match count {
        2 | 3 if comma => Some(Guess::new(EntityType::Person, 0.7, Method::Heuristic)),
        3..=5 if particle => Some(Guess::new(EntityType::Person, 0.7, Method::Heuristic)),
        2 | 3 => Some(Guess::new(EntityType::Person, 0.55, Method::Heuristic)),
        _ => None,
    }
}

/// A name found inside running text.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The text as it stands.
    pub text: String,
    /// What it is taken for.
    pub guess: Guess,
}

/// Finds names in running text in mixed case; at most 200. Judgements below 0.6 are left out.
#[must_use]
pub fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for sentence in text.split(['\n', ';', '!', '?', ':']).flat_map(|line| line.split(". ")) {
        for run in capital_runs(sentence) {
            let guess = classify(&run, None).filter(|guess| guess.confidence >= 0.6);
            found.extend(guess.map(|guess| Span { text: run, guess }));
        }
    }
    found
}

/// Runs of capitalised words, with small words allowed between them.
fn capital_runs(sentence: &str) -> Vec<String> {
    let mut runs = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let mut words = sentence.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '&');
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let after_small = run.last().is_some_and(|last| matches!(*last, "of" | "for" | "and"));
        let joins = matches!(
            bare,
            "of" | "for" | "and" | "&" | "de" | "la" | "van" | "von" | "der" | "del" | "di"
        );
        let joiner = joins || (bare == "the" && after_small);
        if capital || (joiner && !run.is_empty()) {
            run.push(word);
            let ends = word.ends_with(',') && !words.peek().is_some_and(|next| is_mark(next));
            if ends {
                close(&mut run, &mut runs);
            }
        } else {
            close(&mut run, &mut runs);
        }
    }
    close(&mut run, &mut runs);
    runs
}

/// Whether a word behind a comma belongs to the same name: `Inc`, `Jr`, `IL`.
fn is_mark(word: &str) -> bool {
    let next = fold(word);
    is_legal_form(&next) || is_person_mark(&next) || is_state_code(&next)
}

fn close(run: &mut Vec<&str>, runs: &mut Vec<String>) {
    let small = |w: &str| w.chars().next().is_some_and(char::is_lowercase) || w == "&";
    while run.last().is_some_and(|w| small(w)) {
        run.pop();
    }
    // A sentence's first word is capitalised whatever it is.
    const OPENERS: [&str; 18] = [
        "The", "On", "In", "At", "By", "A", "An", "For", "This", "That", "When", "After", "Before",
        "With", "From", "It", "He", "She",
    ];
    while run.first().is_some_and(|w| OPENERS.contains(w)) {
        run.remove(0);
    }
    if !run.is_empty() {
        let text = run.join(" ");
        runs.push(
            text.trim_matches(|c: char| matches!(c, ',' | '.' | '"' | '(' | ')' | '“' | '”'))
                .to_owned(),
        );
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{classify, spans};

    fn check(text: &str, expect: Option<&str>) {
        let guess = classify(text, None);
        assert_eq!(guess.as_ref().map(|g| g.entity_type.as_str()), expect, "{text}: {guess:?}");
    }

    #[test]
    fn f_047_persons_in_every_order() {
        check("SMITH, JOHN A", Some("PERSON"));
        check("John Smith", Some("PERSON"));
        check("Rev. Xolani Mbeki", Some("PERSON"));
        check("J. R. Okonkwo", Some("PERSON"));
        check("FRANK CHURCH", Some("PERSON"));
    }

    #[test]
    fn f_047_organisations_by_their_words() {
        check("HARBOR LIGHT FOUNDATION", Some("ORG"));
        check("Acme Holdings LLC", Some("ORG"));
        check("City of Springfield", Some("ORG"));
        check("JOHN SMITH CHARITABLE TRUST", Some("ORG"));
    }

    #[test]
    fn f_047_places_by_list_and_by_state() {
        check("New Hampshire", Some("LOCATION"));
        check("Smallville, KS", Some("LOCATION"));
        check("VIRGINIA JACKSON", Some("PERSON"));
    }

    #[test]
    fn what_is_no_name_is_left_out() {
        check("12345", None);
        check("mail@example.org", None);
        check("", None);
        check("program expenses", None);
    }

    #[test]
    fn f_095_names_are_found_in_running_text() {
        let text =
            "In May the Harbor Light Foundation paid Mary Castellano of Boston, MA for advice.";
        let found: Vec<String> = spans(text)
            .into_iter()
            .map(|s| format!("{}={}", s.guess.entity_type, s.text))
            .collect();
        assert!(found.contains(&"ORG=Harbor Light Foundation".to_owned()), "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn judging_never_panics_and_stays_in_range(text in ".{0,80}") {
            for guess in classify(&text, None).into_iter().chain(spans(&text).into_iter().map(|s| s.guess)) {
                prop_assert!((0.0..=1.0).contains(&guess.confidence));
            }
        }
    }
}
