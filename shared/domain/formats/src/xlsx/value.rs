//! The values of cells.

use calamine::{DataRef, ExcelDateTime};
use serde_json::{Number, Value};

/// The last day a workbook knows, 9999-12-31.
const LAST_DAY: f64 = 2_958_466.0;

/// The value of a cell; null when it is empty or white space.
pub(super) fn value(cell: &DataRef<'_>) -> Value {
    let text =
        |text: &str| if text.trim().is_empty() { Value::Null } else { Value::from(text.trim()) };
    match cell {
        DataRef::Empty => Value::Null,
        DataRef::Int(number) => Value::from(*number),
        DataRef::Float(number) => float(shown(*number)),
        DataRef::String(own) => text(own),
        DataRef::SharedString(shared) => text(shared),
        DataRef::Bool(value) => Value::from(*value),
        DataRef::DateTime(moment) => date(moment),
        DataRef::DateTimeIso(own) | DataRef::DurationIso(own) => text(own),
        DataRef::Error(error) => Value::from(error.to_string()),
    }
}

/// A number without the noise of binary fractions, such as 0.30000000000000004 for 0.1 + 0.2. Spreadsheets calculate with and show
/// 15 digits: what is noise beyond them is gone when the number is cut to them, and the rest is short. A number of many digits
/// stays what it is.
fn shown(number: f64) -> f64 {
    const SHORT: usize = 13;
    if number.fract() == 0.0 || number.abs() >= 1e13 {
        return number;
    }
    let cut = format!("{number:.14e}");
    let digits = cut.split('e').next().unwrap_or_default().trim_end_matches('0');
    let is_short = digits.bytes().filter(u8::is_ascii_digit).count() <= SHORT;
    if is_short { cut.parse().unwrap_or(number) } else { number }
}

/// `36:00:00` of a day and a half.
fn duration(days: f64) -> Value {
    if days.abs() >= LAST_DAY {
        return float(days);
    }
    let all = (days.abs() * 86_400_000.0).round() as u64;
    let sign = if days < 0.0 && all > 0 { "-" } else { "" };
    let (seconds, thousandths) = (all / 1_000, all % 1_000);
    let fraction = if thousandths == 0 { String::new() } else { format!(".{thousandths:03}") };
    let (minutes, second) = (seconds / 60, seconds % 60);
    let fraction = fraction.trim_end_matches('0');
    format!("{sign}{:02}:{:02}:{second:02}{fraction}", minutes / 60, minutes % 60).into()
}

/// A number without the fraction it does not have.
fn float(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        return Value::from(number as i64);
    }
    // What is no number, such as `1E400`, is told as the text that it is.
    Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
}

/// A day, a time of day, or a moment without a zone; a duration as its cell shows it, hours first: as a number it would be one
/// of days.
fn date(moment: &ExcelDateTime) -> Value {
    let days = moment.as_f64();
    if moment.is_duration() {
        return duration(days);
    }
    if !(0.0..LAST_DAY).contains(&days) {
        return float(days);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    let day = format!("{year:04}-{month:02}-{day:02}");
    Value::from(match (days < 1.0, days.fract() == 0.0) {
        (true, _) => time,
        (false, true) => day,
        (false, false) => format!("{day}T{time}"),
    })
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn f_099_a_duration_is_what_its_cell_shows() {
        for (days, expect) in [
            (1.5, "36:00:00"),
            (0.0, "00:00:00"),
            (-0.25, "-06:00:00"),
            (90.25 / 86_400.0, "00:01:30.25"),
            (-0.000_3 / 86_400.0, "00:00:00"),
            (100.0, "2400:00:00"),
        ] {
            assert_eq!(duration(days), expect, "{days}");
        }
    }
}
