//! The five fields of cron. What EventBridge cannot express is refused (K-64).

use countersign_document::{Refused, did_you_mean, nearest};

/// A field's name, bounds and words; the first word is the lower bound.
type Field = (&'static str, u32, u32, &'static [&'static str]);

const DAYS: &[&str] = &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const FIELDS: [Field; 5] = [
    ("minute", 0, 59, &[]),
    ("hour", 0, 23, &[]),
    ("day of the month", 1, 31, &[]),
    (
        "month",
        1,
        12,
        &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
    ),
    ("day of the week", 0, 7, DAYS),
];

/// The most days that each month can have.
const LONGEST: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// What EventBridge takes at most.
const MAX_NATIVE: usize = 256;

/// The values that a field may have, as bits.
type Values = u64;

/// A time as it comes again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cron {
    minutes: Values,
    hours: Values,
    days: Values,
    months: Values,
    weekdays: Values,
    /// Whether the hour is `*`: the schedule means every real hour, also one that a clock shows twice.
    pub(crate) hourly: bool,
}

pub(crate) fn check(text: &str) -> Result<(), Refused> {
    Cron::parse(text).map(drop)
}

impl Cron {
    pub(crate) fn parse(text: &str) -> Result<Self, Refused> {
        let written: Vec<&str> = text.split_ascii_whitespace().collect();
        let [minute, hour, day, month, weekday] = written[..] else {
            return Err(Refused::of_key(
                "must have five fields: minute, hour, day, month, day of the week",
            ));
        };
        let [minutes, hours, days, months, weekdays] = [
            values(minute, &FIELDS[0])?,
            values(hour, &FIELDS[1])?,
            values(day, &FIELDS[2])?,
            values(month, &FIELDS[3])?,
            values(weekday, &FIELDS[4])?,
        ];
        if !is_every(day) && !is_every(weekday) {
            let both =
                Refused::of_key("restricts both the day of the month and the day of the week");
            return Err(both.hint("write `*` for one of them".to_owned()));
        }
        // Sunday is 0 and 7.
        let weekdays = if weekdays & 1 << 7 == 0 { weekdays } else { weekdays | 1 };
        let cron = Self { minutes, hours, days, months, weekdays, hourly: is_every(hour) };
        if !cron.can_fire() {
            let never = Refused::of_key("is never: no month of it has such a day");
            return Err(never.hint("February has 29 days at most".to_owned()));
        }
        if cron.native(text).len() > MAX_NATIVE {
            return Err(Refused::of_key("lists more values than EventBridge takes")
                .hint("write ranges or steps, or several schedules".to_owned()));
        }
        Ok(cron)
    }

    /// Whether some month has a day that is meant.
    fn can_fire(&self) -> bool {
        let longest = |month: u32| LONGEST.get(month as usize - 1).copied().unwrap_or_default();
        (1..=12)
            .filter(|month| has(self.months, *month))
            .any(|month| (1..=longest(month)).any(|day| has(self.days, day)))
    }

    /// Whether a day is meant; `weekday` counts from Sunday.
    pub(crate) fn has_day(&self, month: i8, day: i8, weekday: i8) -> bool {
        let has = |values, at: i8| u32::try_from(at).is_ok_and(|at| has(values, at));
        has(self.months, month) && has(self.days, day) && has(self.weekdays, weekday)
    }

    /// The hours and minutes of a day, in their order.
    pub(crate) fn times(&self) -> impl Iterator<Item = (i8, i8)> {
        let Self { minutes, hours, .. } = *self;
        let of = |values: Values, end: i8| (0..end).filter(move |at| values >> at & 1 == 1);
        of(hours, 24).flat_map(move |hour| of(minutes, 60).map(move |minute| (hour, minute)))
    }

    /// The same for EventBridge: six fields, `?` for the day that is not restricted, and names for days of the week, which it
    /// counts from 1.
    pub(crate) fn native(&self, text: &str) -> String {
        let mut written = text.split_ascii_whitespace();
        let mut next = || written.next().unwrap_or("*");
        let (minute, hour, day, month, weekday) = (next(), next(), next(), next(), next());
        let names = || {
            let named = DAYS.iter().zip(0..).filter(|(_, at)| has(self.weekdays, *at));
            named.map(|(name, _)| *name).collect::<Vec<_>>().join(",")
        };
        let (day, weekday) = match day {
            _ if is_every(weekday) => (plain(day, self.days, &FIELDS[2]), "?".to_owned()),
            _ => ("?".to_owned(), names()),
        };
        let minute = plain(minute, self.minutes, &FIELDS[0]);
        let hour = plain(hour, self.hours, &FIELDS[1]);
        let month = plain(month, self.months, &FIELDS[3]);
        format!("cron({minute} {hour} {day} {month} {weekday} *)")
    }
}

fn has(values: Values, at: u32) -> bool {
    values >> at & 1 == 1
}

/// Whether a field has every value it can have: `*`, also in a list, where it says the others once more.
fn is_every(text: &str) -> bool {
    text.split(',').any(|one| one == "*")
}

/// A field without steps of ranges, which EventBridge reads in its own way.
fn plain(text: &str, values: Values, field: &Field) -> String {
    if is_every(text) {
        return "*".to_owned();
    }
    match text.strip_prefix("*/") {
        Some(step) if !step.contains(',') => return format!("{}/{step}", field.1),
        _ if !text.contains('/') => return text.to_ascii_uppercase(),
        _ => {}
    }
    let listed = (field.1..=field.2).filter(|at| has(values, *at));
    listed.map(|at| at.to_string()).collect::<Vec<_>>().join(",")
}

fn values(part: &str, field: &Field) -> Result<Values, Refused> {
    let each = part.split(',').map(|one| one_of(one, field));
    let all = each.collect::<Option<Vec<Values>>>();
    all.map(|all| all.into_iter().fold(0, |all, one| all | one)).ok_or_else(|| {
        let (name, low, high, words) = field;
        let shown: String = part.chars().take(40).collect();
        let named = match words {
            [first, .., last] => format!(", or {first} to {last}"),
            _ => String::new(),
        };
        let near = nearest(&part.to_ascii_uppercase(), words.iter().copied()).map(did_you_mean);
        let message = format!("has `{shown}` as {name}, which takes {low} to {high}{named}");
        Refused::of_key(message).hint(near)
    })
}

/// `*`, `5`, `1-5`, `*/15` or `0-30/10`.
fn one_of(text: &str, field: &Field) -> Option<Values> {
    let (range, step) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
    let by = match step {
        None => 1,
        Some(step) => number(step).filter(|n| (1..=field.2).contains(n))?,
    };
    // `*` of the day of the week is 0 to 6: 7 is Sunday once more.
    let high = if field.2 == 7 { 6 } else { field.2 };
    let (from, to) = match range.split_once('-') {
        None if range == "*" => (field.1, high),
        None if step.is_none() => value(range, field).map(|one| (one, one))?,
        None => return None,
        Some((from, to)) => value(from, field).zip(value(to, field)).filter(|(a, b)| a <= b)?,
    };
    Some((from..=to).step_by(by as usize).fold(0, |all, at| all | 1 << at))
}

fn value(text: &str, &(_, low, high, words): &Field) -> Option<u32> {
    let word = (low..).zip(words).find(|(_, word)| word.eq_ignore_ascii_case(text));
    word.map(|(at, _)| at).or_else(|| number(text)).filter(|value| (low..=high).contains(value))
}

/// Digits alone: no sign, no space.
fn number(text: &str) -> Option<u32> {
    let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}
