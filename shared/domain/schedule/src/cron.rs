//! The five fields of cron. What EventBridge cannot express is refused (K-64).

use countersign_document::Refused;

/// A field's name, bounds and words; the first word is the lower bound.
type Field = (&'static str, u32, u32, &'static [&'static str]);

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
    ("day of the week", 0, 7, &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]),
];

pub(crate) fn check(text: &str) -> Result<(), Refused> {
    let written: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_, _, day, _, weekday] = written[..] else {
        return Err(Refused::of_key(
            "must have five fields: minute, hour, day, month, day of the week",
        ));
    };
    let wrong = |(part, field): &(&&str, &Field)| !part.split(',').all(|one| fits(one, field));
    if let Some((part, (name, low, high, _))) = written.iter().zip(&FIELDS).find(wrong) {
        let shown: String = part.chars().take(40).collect();
        return Err(Refused::of_key(format!(
            "has `{shown}` as {name}, which takes {low} to {high}"
        )));
    }
    if day != "*" && weekday != "*" {
        let both = Refused::of_key("restricts both the day of the month and the day of the week");
        return Err(both.hint("write `*` for one of them".to_owned()));
    }
    Ok(())
}

/// `*`, `5`, `1-5`, `*/15` or `0-30/10`.
fn fits(text: &str, field: &Field) -> bool {
    let (range, step) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
    let steps = step.is_none_or(|step| number(step).is_some_and(|n| (1..=field.2).contains(&n)));
    let spans = match range.split_once('-') {
        None => range == "*" || (step.is_none() && value(range, field).is_some()),
        Some((from, to)) => value(from, field).zip(value(to, field)).is_some_and(|(a, b)| a <= b),
    };
    steps && spans
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
