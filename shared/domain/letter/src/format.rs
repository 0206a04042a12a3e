//! Values written for people, beside the value itself and never instead of it. No digit is ever dropped.

use countersign_approval::{Column, Format};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::text::grouped;
use crate::when;

/// More digits than this are not a number people read.
const DIGITS: usize = 30;

/// `value` as its column asks for, such as `1,250.50 EUR`; nothing when it does not fit the format, or looks the same.
#[must_use]
pub fn formatted(value: &str, column: &Column) -> Option<String> {
    let written = match column.format {
        Format::Text => return None,
        Format::Number => Decimal::parse(value)?.grouped(0),
        Format::Money => money(&Decimal::parse(value)?, column.currency.as_deref()),
        Format::Percent => Decimal::parse(value)?.times_hundred()?.grouped(0) + " %",
        Format::Date => date(value)?,
    };
    (written != value).then_some(written)
}

/// A decimal number as it is written: sign, whole part, decimals.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decimal<'v> {
    negative: bool,
    whole: &'v str,
    decimals: &'v str,
}

impl<'v> Decimal<'v> {
    /// Reads digits with at most one point; no exponent, no leading zeros, nothing else.
    fn parse(value: &'v str) -> Option<Self> {
        let (negative, digits) = match value.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, value),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = all_digits(whole)
            && all_digits(decimals)
            && !whole.is_empty()
            && (digits.contains('.') != decimals.is_empty())
            && whole.len() + decimals.len() <= DIGITS
            && (whole == "0" || !whole.starts_with('0'));
        fits.then_some(Self { negative, whole, decimals })
    }

    /// With groups of three, and at least so many decimals.
    fn grouped(&self, least: usize) -> String {
        written(self.negative, self.whole, self.decimals, least)
    }

    /// A hundred times as much: the point moves, no digit is lost.
    fn times_hundred(&self) -> Option<Moved> {
        let padded = format!("{:0<2}", self.decimals);
        let (two, rest) = padded.split_at_checked(2)?;
        let whole = format!("{}{two}", self.whole);
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        Some(Moved { negative: self.negative, whole: whole.to_owned(), decimals: rest.to_owned() })
    }
}

/// A number whose point was moved.
struct Moved {
    negative: bool,
    whole: String,
    decimals: String,
}

impl Moved {
    fn grouped(&self, least: usize) -> String {
        written(self.negative, &self.whole, &self.decimals, least)
    }
}

fn written(negative: bool, whole: &str, decimals: &str, least: usize) -> String {
    let sign = if negative { "-" } else { "" };
    let point = if decimals.is_empty() && least == 0 { "" } else { "." };
    format!("{sign}{}{point}{decimals:0<least$}", grouped(whole))
}

/// An amount with the decimals of its currency; further decimals are kept.
fn money(amount: &Decimal<'_>, currency: Option<&str>) -> String {
    let number = amount.grouped(decimals(currency.unwrap_or_default()));
    match currency {
        Some(currency) => format!("{number} {currency}"),
        None => number,
    }
}

/// Decimals of a currency (ISO 4217); two where it is not known.
fn decimals(currency: &str) -> usize {
    match currency {
        "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX"
        | "UYI" | "VND" | "VUV" | "XAF" | "XOF" | "XPF" => 0,
        "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
        "CLF" | "UYW" => 4,
        _ => 2,
    }
}

/// A day as `27 Nov 2026`, a moment as `Fri 27 Nov 2026, 14:05 UTC`; a moment with seconds stays as it is.
fn date(value: &str) -> Option<String> {
    if value.len() == 10 {
        let day: Date = value.parse().ok()?;
        return Some(day.strftime("%-d %b %Y").to_string());
    }
    let at: Timestamp = value.parse().ok()?;
    let whole_minute = at.as_second() % 60 == 0 && at.subsec_nanosecond() == 0;
    whole_minute.then(|| when::moment(at))
}

#[cfg(test)]
mod tests {
    use super::formatted;
    use countersign_approval::{Column, Format};
    use proptest::prelude::*;

    fn column(format: Format, currency: Option<&str>) -> Column {
        Column { format, currency: currency.map(str::to_owned), ..Column::of("x") }
    }

    #[track_caller]
    fn check(value: &str, format: Format, currency: Option<&str>, expect: Option<&str>) {
        assert_eq!(formatted(value, &column(format, currency)).as_deref(), expect, "{value}");
    }

    #[test]
    fn f_200_money_keeps_every_digit() {
        check("1250.5", Format::Money, Some("EUR"), Some("1,250.50 EUR"));
        check("-1250.505", Format::Money, Some("EUR"), Some("-1,250.505 EUR"));
        check("1250", Format::Money, Some("JPY"), Some("1,250 JPY"));
        check("1250.5", Format::Money, Some("JPY"), Some("1,250.5 JPY"));
        check("0.1", Format::Money, Some("KWD"), Some("0.100 KWD"));
        check("1000000.00", Format::Money, None, Some("1,000,000.00"));
        check("10.00", Format::Money, None, None);
        for odd in ["1e3", "1.250,50", "01", "1.", ".5", "+1", " 1", "-", "", "١"] {
            check(odd, Format::Money, Some("EUR"), None);
        }
    }

    #[test]
    fn f_200_numbers_shares_and_days_are_written_for_people() {
        check("1234567.891", Format::Number, None, Some("1,234,567.891"));
        check("123", Format::Number, None, None);
        check("0.934", Format::Percent, None, Some("93.4 %"));
        check("0.9", Format::Percent, None, Some("90 %"));
        check("1", Format::Percent, None, Some("100 %"));
        check("0.0001", Format::Percent, None, Some("0.01 %"));
        check("12.5", Format::Percent, None, Some("1,250 %"));
        check("2026-11-27", Format::Date, None, Some("27 Nov 2026"));
        check("2026-11-27T14:05:00Z", Format::Date, None, Some("Fri 27 Nov 2026, 14:05 UTC"));
        check("2026-11-27T14:05:07Z", Format::Date, None, None);
        check("2026-02-30", Format::Date, None, None);
        check("anything", Format::Text, None, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// The digits of what is written are the digits of the value, with zeros at its ends at most.
        #[test]
        fn f_200_no_format_drops_a_digit(whole in 0_u64.., decimals in "[0-9]{0,9}") {
            let point = if decimals.is_empty() { "" } else { "." };
            let value = format!("{whole}{point}{decimals}");
            let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
            let core = digits(&value).trim_matches('0').to_owned();
            for format in [Format::Number, Format::Money, Format::Percent] {
                let written = formatted(&value, &column(format, Some("EUR").filter(|_| format == Format::Money)));
                let written = digits(&written.unwrap_or_else(|| value.clone()));
                prop_assert_eq!(written.trim_matches('0'), core.as_str());
            }
        }
    }
}
