//! Word lists: given names, places, and the words that give an organisation away. Written by hand, small on purpose.

use std::collections::HashSet;
use std::sync::LazyLock;

type Words = LazyLock<HashSet<&'static str>>;

static GIVEN: Words =
    LazyLock::new(|| include_str!("../data/given-names.txt").split_whitespace().collect());
static PLACES: Words = LazyLock::new(|| entries(include_str!("../data/places.txt")).collect());
static STATE_CODES: Words = LazyLock::new(|| {
    entries(include_str!("../data/states.txt")).flat_map(str::split_whitespace).collect()
});
static ORG_WORDS: Words = LazyLock::new(|| {
    entries(include_str!("../data/organisation-words.txt"))
        .flat_map(str::split_whitespace)
        .collect()
});

fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

/// Whether a folded word is a usual given name.
pub(crate) fn is_given_name(word: &str) -> bool {
    GIVEN.contains(word)
}

/// Whether a folded text is a state, country or larger city.
pub(crate) fn is_place(text: &str) -> bool {
    PLACES.contains(text)
}

/// Whether a folded word is the postal code of a US state.
pub(crate) fn is_state_code(word: &str) -> bool {
    STATE_CODES.contains(word)
}

/// Whether a folded word names a kind of organisation.
pub(crate) fn is_organisation_word(word: &str) -> bool {
    ORG_WORDS.contains(word)
}

/// Words that name a kind of organisation and are also surnames.
pub(crate) fn is_surname_too(word: &str) -> bool {
    matches!(
        word,
        "CHURCH"
            | "TEMPLE"
            | "BANK"
            | "BANKS"
            | "HALL"
            | "PARK"
            | "SCHOOL"
            | "POWER"
            | "SINGER"
            | "CHAPEL"
            | "LODGE"
            | "HOUSE"
            | "UNION"
            | "PRESS"
            | "LAW"
    )
}
