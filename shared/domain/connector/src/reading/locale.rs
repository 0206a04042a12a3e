//! What is known of a locale: the C library's data, by the names of BCP 47.

use compact_str::{CompactString, format_compact};
use pure_rust_locales::{Locale as Data, locale_match};

use super::InvalidReading;
use super::currency::Currency;
use super::date::DateForm;

/// Scripts that locales of the C library name as modifiers.
const SCRIPTS: [(&str, &str); 3] =
    [("Latn", "latin"), ("Cyrl", "cyrillic"), ("Deva", "devanagari")];

/// Why a text is not a locale.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{tag}` is not a known locale: it must be a language and a region, such as `en-US`")]
pub struct InvalidLocale {
    /// What was written.
    pub tag: String,
    /// The most similar one that is known.
    pub near: Option<String>,
}

/// A locale's way of writing numbers and dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Locale {
    tag: CompactString,
    decimal: &'static str,
    /// Those of numbers and of sums, which differ in some locales.
    thousands: [&'static str; 2],
    grouping: &'static [i64],
    currency: Currency,
    dates: Option<DateForm>,
}

impl Locale {
    pub(super) fn of(tag: &str) -> Result<Self, InvalidReading> {
        let data = data(tag).ok_or_else(|| InvalidLocale {
            tag: tag.chars().take(super::SHOWN).collect(),
            near: near(tag),
        })?;
        let decimal = decimal(data, tag)?;
        let grouping = [
            locale_match!(data => LC_NUMERIC::GROUPING),
            locale_match!(data => LC_MONETARY::MON_GROUPING),
        ];
        let groups = grouping.into_iter().find(|sizes| sizes.first().is_some_and(|size| *size > 0));
        Ok(Self {
            tag: tag.into(),
            decimal,
            thousands: [
                locale_match!(data => LC_NUMERIC::THOUSANDS_SEP),
                locale_match!(data => LC_MONETARY::MON_THOUSANDS_SEP),
            ],
            grouping: groups.unwrap_or(&[3]),
            currency: Currency::in_use(data),
            dates: DateForm::of(locale_match!(data => LC_TIME::D_FMT)),
        })
    }

    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    pub(super) fn currency(&self) -> &Currency {
        &self.currency
    }

    /// How dates are written, unless by another calendar or other digits.
    pub(super) fn dates(&self) -> Option<&DateForm> {
        self.dates.as_ref()
    }

    /// What stands before the fraction.
    pub(super) fn decimal(&self) -> &'static str {
        self.decimal
    }

    /// Whether a character may stand between groups of digits.
    pub(super) fn groups_with(&self, mark: char) -> bool {
        let own = self.thousands.iter().filter(|own| **own != self.decimal);
        own.flat_map(|own| own.chars()).any(|own| alike(own) == alike(mark))
    }

    /// How many digits the groups have, from the last to the first; the last size holds for all that follow.
    pub(super) fn group(&self, nth: usize) -> usize {
        let size = self.grouping.get(nth).or(self.grouping.last()).copied().unwrap_or(3);
        usize::try_from(size).ok().filter(|size| *size > 0).unwrap_or(usize::MAX)
    }
}

/// The mark before a fraction. Some data has one for numbers and another for sums, where `1,234` may be either.
fn decimal(data: Data, tag: &str) -> Result<&'static str, InvalidReading> {
    let number = locale_match!(data => LC_NUMERIC::DECIMAL_POINT);
    let sum = locale_match!(data => LC_MONETARY::MON_DECIMAL_POINT);
    if number == sum {
        Ok(number)
    } else {
        Err(InvalidReading::TwoMarks { tag: tag.to_owned(), number, sum })
    }
}

/// Marks that people and programs write for each other: kinds of space, and of apostrophe.
fn alike(mark: char) -> char {
    match mark {
        '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
        '’' => '\'',
        other => other,
    }
}

/// The data of a locale by its tag: `de-CH`, `sr-Latn-RS`.
fn data(tag: &str) -> Option<Data> {
    let mut parts = tag.split('-');
    let (language, second, third) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let name = match third {
        None => format_compact!("{language}_{second}"),
        Some(region) => {
            let (_, modifier) = SCRIPTS.iter().find(|(script, _)| *script == second)?;
            format_compact!("{language}_{region}@{modifier}")
        }
    };
    // The library's own modifiers are not of BCP 47.
    if tag.contains('@') { None } else { name.parse().ok() }
}

/// All locales of a region, by the languages of two letters.
pub(super) fn of_region(region: &str) -> impl Iterator<Item = Data> {
    letters(b'a').filter_map(move |language| format_compact!("{language}_{region}").parse().ok())
}

/// All pairs of letters from a first one on.
fn letters(first: u8) -> impl Iterator<Item = CompactString> {
    (0..26 * 26).map(move |n| {
        let letter = |n: u16| char::from(first + u8::try_from(n).unwrap_or_default());
        format_compact!("{}{}", letter(n / 26), letter(n % 26))
    })
}

/// The known locale that a text probably means.
fn near(tag: &str) -> Option<String> {
    let mut parts = tag.split(['-', '_', '.', '@']).map(str::trim);
    let language = parts.next()?.to_lowercase();
    let region = parts.find(|part| part.len() == 2).unwrap_or(&language).to_uppercase();
    let wanted = format!("{language}-{region}");
    if data(&wanted).is_some() {
        return Some(wanted);
    }
    let regions = letters(b'A').map(|region| format!("{language}-{region}"));
    let languages = letters(b'a').map(|language| format!("{language}-{region}"));
    let known: Vec<String> = regions.chain(languages).filter(|tag| data(tag).is_some()).collect();
    countersign_document::nearest(&wanted, known.iter().map(String::as_str)).map(str::to_owned)
}
