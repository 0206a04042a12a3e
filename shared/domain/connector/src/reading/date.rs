//! Dates: as ISO 8601 writes them, and in the order of a locale.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

/// What stands in a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Day,
    Month,
    Year,
}

/// A locale's order of day, month and year, and what it writes after each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateForm {
    order: [Part; 3],
    marks: [&'static str; 3],
}

impl DateForm {
    /// The form of a `strftime` format; `None` when it counts years or writes digits in another way, or names the month: who
    /// writes `March 4, 2024` may well write 04/03/2024.
    pub(super) fn of(format: &'static str) -> Option<Self> {
        if format == "%F" {
            return Self::of("%Y-%m-%d");
        }
        let mut order = [Part::Day; 3];
        let mut marks = [""; 3];
        let mut found = 0;
        for piece in format.split('%').skip(1) {
            let piece = piece.strip_prefix('-').unwrap_or(piece);
            let part = match piece.chars().next()? {
                'd' | 'e' => Part::Day,
                'm' => Part::Month,
                'y' | 'Y' => Part::Year,
                // The name of the day.
                'a' | 'A' => continue,
                _ => return None,
            };
            *order.get_mut(found)? = part;
            *marks.get_mut(found)? = piece.get(1..)?.trim();
            found += 1;
        }
        let has = |part| order.contains(&part);
        let is_whole = found == 3 && has(Part::Day) && has(Part::Month) && has(Part::Year);
        is_whole.then_some(Self { order, marks })
    }

    /// The day of a text in this order. Only years of four digits are read: of others nobody knows the century.
    pub(super) fn read(&self, text: &str) -> Option<Date> {
        let (numbers, marks) = pieces(text)?;
        if !self.takes(marks) {
            return None;
        }
        let (mut year, mut month, mut day) = (None, None, None);
        for (part, digits) in self.order.iter().zip(numbers) {
            let (slot, fits) = match part {
                Part::Year => (&mut year, digits.len() == 4),
                Part::Month => (&mut month, digits.len() <= 2),
                Part::Day => (&mut day, digits.len() <= 2),
            };
            *slot = Some(digits.parse::<i16>().ok().filter(|_| fits)?);
        }
        Date::new(year?, i8::try_from(month?).ok()?, i8::try_from(day?).ok()?).ok()
    }
}

impl DateForm {
    /// Whether a date of this form may have such marks: the locale's own, or hyphens. Others are of another country, whose
    /// order may be another one, unless the year stands first.
    fn takes(&self, marks: [&str; 3]) -> bool {
        let own = self.marks[0];
        let has_own = matches!(own, "/" | "-" | ".");
        let is_meant = !has_own || marks[0] == own || marks[0] == "-";
        marks == self.marks || are_common(marks) && (is_meant || self.order[0] == Part::Year)
    }
}

/// Marks that are written between days, months and years everywhere; a point may also follow the last.
fn are_common(marks: [&str; 3]) -> bool {
    let [first, second, last] = marks;
    first == second
        && matches!(first, "/" | "-" | ".")
        && (last.is_empty() || last == first && last == ".")
}

/// The three numbers of a text, and what follows each.
fn pieces(text: &str) -> Option<([&str; 3], [&str; 3])> {
    let mut rest = text.trim();
    let (mut numbers, mut marks) = ([""; 3], [""; 3]);
    for (number, mark) in numbers.iter_mut().zip(&mut marks) {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let after =
            rest[end..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |at| end + at);
        (*number, *mark) = (&rest[..end], rest[end..after].trim());
        rest = &rest[after..];
    }
    (rest.is_empty() && numbers.iter().all(|number| !number.is_empty())).then_some((numbers, marks))
}

/// Whether a text is a date in the order of some locale.
pub(super) fn is_in_some_order(text: &str) -> bool {
    ["%d%m%Y", "%m%d%Y", "%Y%m%d"]
        .into_iter()
        .filter_map(DateForm::of)
        .any(|form| form.read(text).is_some())
}

/// Whether a text is a date but for its year, of which two digits are missing.
pub(super) fn has_short_year(text: &str) -> bool {
    pieces(text).is_some_and(|(numbers, marks)| {
        are_common(marks) && numbers.iter().all(|number| number.len() <= 2)
    })
}

/// `yyyy-mm-dd`, with or without a zone behind it, or a whole time, which is kept as it is.
pub(super) fn iso(text: &str) -> Option<String> {
    let day = text.get(..10)?;
    let date: Date = day.parse().ok()?;
    match text.as_bytes().get(10) {
        None => Some(date.to_string()),
        Some(b'Z') if text.len() == 11 => Some(date.to_string()),
        Some(b'+' | b'-') if is_offset(text.get(11..)?) => Some(date.to_string()),
        Some(b'T') if is_time(text) => Some(text.to_owned()),
        Some(_) => None,
    }
}

/// `05`, `0530` or `05:30`.
fn is_offset(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let plain = text.len() == digits.len() && matches!(digits.len(), 2 | 4);
    plain || (text.len() == 5 && digits.len() == 4 && text.as_bytes()[2] == b':')
}

fn is_time(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok()
}
