//! Days as people write them: `2024-03-01`, `1st of March 2024`, `March 2024`, `yesterday`, `last month`, `three weeks ago`.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};
use serde_json::Value;

use crate::Found;
use crate::numbers::small;
use crate::words::{Word, scanned};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words before a bare year that say that it is one.
const BEFORE_A_YEAR: [&str; 14] = [
    "in", "since", "from", "until", "till", "before", "after", "during", "year", "of", "between",
    "and", "to", "through",
];

/// The first and the last day of what is said.
type Days = (Date, Date);

/// The dates among words; a month or year has a first and a last day.
pub(crate) fn found(words: &[Word<'_>], today: Date) -> Vec<Found> {
    scanned(words, |at| {
        let before = at.checked_sub(1).map(|before| &words[before]);
        let ((first, last), taken) = date(before, &words[at..], today)?;
        Some((Some((text(first), (first != last).then(|| text(last)))), taken))
    })
}

fn text(date: Date) -> Value {
    Value::String(date.to_string())
}

/// The date that words begin with, and how many words it is.
fn date(before: Option<&Word<'_>>, words: &[Word<'_>], today: Date) -> Option<(Days, usize)> {
    let first = words.first()?;
    let iso = first.text.parse::<Date>().ok().filter(|_| first.text.len() == 10);
    iso.map(|date| ((date, date), 1))
        .or_else(|| relative(words, today))
        .or_else(|| month_first(words, today))
        .or_else(|| day_first(words, today))
        .or_else(|| year(before, first))
}

/// `today`, `last month`, `3 days ago`.
fn relative(words: &[Word<'_>], today: Date) -> Option<(Days, usize)> {
    let first = words.first()?;
    let day = |days: i64| today.checked_add(Span::new().try_days(days).ok()?).ok();
    for (name, days) in [("today", 0), ("yesterday", -1), ("tomorrow", 1)] {
        if first.is(name) {
            let date = day(days)?;
            return Some(((date, date), 1));
        }
    }
    let second = words.get(1)?;
    if first.is("last") || first.is("this") {
        let back = i64::from(first.is("last"));
        return whole(second, back, today).map(|days| (days, 2));
    }
    let (ago, count) = (words.get(2)?, small(first)?);
    let date = today.checked_sub(span(second, count)?).ok()?;
    ago.is("ago").then_some(((date, date), 3))
}

/// The whole week, month or year, so many before this one.
fn whole(unit: &Word<'_>, back: i64, today: Date) -> Option<Days> {
    let before = |span: Span| today.checked_sub(span).ok();
    if unit.is("week") {
        let monday = i64::from(today.weekday().to_monday_zero_offset());
        let first = before(Span::new().try_days(monday + 7 * back).ok()?)?;
        return Some((first, first.checked_add(6.days()).ok()?));
    }
    if unit.is("month") {
        let month = before(Span::new().try_months(back).ok()?)?;
        return Some((month.first_of_month(), month.last_of_month()));
    }
    let year = before(Span::new().try_years(back).ok()?)?;
    unit.is("year").then(|| (year.first_of_year(), year.last_of_year()))
}

fn span(unit: &Word<'_>, count: i64) -> Option<Span> {
    let span = Span::new();
    let is = |one: &str, many: &str| unit.is(one) || unit.is(many);
    if is("day", "days") {
        span.try_days(count).ok()
    } else if is("week", "weeks") {
        span.try_weeks(count).ok()
    } else if is("month", "months") {
        span.try_months(count).ok()
    } else if is("year", "years") {
        span.try_years(count).ok()
    } else {
        None
    }
}

/// `March 2024`, `March 1, 2024`, `Mar 1st`.
fn month_first(words: &[Word<'_>], today: Date) -> Option<(Days, usize)> {
    let month = month(words.first()?)?;
    let second = words.get(1)?;
    if let Some(year) = year_of(second) {
        let first = Date::new(year, month, 1).ok()?;
        return Some(((first, first.last_of_month()), 2));
    }
    let day = i8::try_from(small(second)?).ok()?;
    dated(day, month, words.get(2), today).map(|(date, taken)| ((date, date), 2 + taken))
}

/// `1 March 2024`, `1st of March`.
fn day_first(words: &[Word<'_>], today: Date) -> Option<(Days, usize)> {
    let day = i8::try_from(small(words.first()?)?).ok()?;
    let of = usize::from(words.get(1)?.is("of"));
    let month = month(words.get(1 + of)?)?;
    let (date, taken) = dated(day, month, words.get(2 + of), today)?;
    Some(((date, date), 2 + of + taken))
}

/// The day of a month, of the year that follows or else the last one that was.
fn dated(day: i8, month: i8, next: Option<&Word<'_>>, today: Date) -> Option<(Date, usize)> {
    if let Some(year) = next.and_then(year_of) {
        return Some((Date::new(year, month, day).ok()?, 1));
    }
    let this = Date::new(today.year(), month, day).ok()?;
    let date = if this > today { Date::new(today.year() - 1, month, day).ok()? } else { this };
    Some((date, 0))
}

fn month(word: &Word<'_>) -> Option<i8> {
    // `may` and `march` are also verbs.
    if !word.text.starts_with(char::is_uppercase) {
        return None;
    }
    let text = word.text.to_lowercase();
    let is = |name: &&str| {
        *name == text || (text.len() >= 3 && text.len() <= 4 && name.starts_with(&text))
    };
    let at = MONTHS.iter().position(is)?;
    i8::try_from(at + 1).ok()
}

fn year_of(word: &Word<'_>) -> Option<i16> {
    let year = word.text.parse::<i16>().ok().filter(|_| word.text.len() == 4)?;
    (1_900..=2_100).contains(&year).then_some(year)
}

/// `since 2023`.
fn year(before: Option<&Word<'_>>, word: &Word<'_>) -> Option<(Days, usize)> {
    let said = before.is_some_and(|before| BEFORE_A_YEAR.iter().any(|name| before.is(name)));
    let first = Date::new(year_of(word).filter(|_| said)?, 1, 1).ok()?;
    Some(((first, first.last_of_year()), 1))
}
