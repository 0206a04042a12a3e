//! Amounts together.

use countersign_approval::Column;
use countersign_decimal::moved;

use crate::format::formatted;

/// Decimals that are added up exactly.
const SCALE: usize = 9;

/// The sum of plain decimal numbers, written as their column asks for; nothing when one of them is not one.
pub(super) fn sum<'v>(values: impl Iterator<Item = &'v str>, column: &Column) -> Option<String> {
    let mut total: i128 = 0;
    let mut decimals = 0;
    for value in values {
        let (units, places) = parse(value)?;
        total = total.checked_add(units)?;
        decimals = decimals.max(places);
    }
    let exact = moved(total, SCALE);
    let plain = exact[..exact.len() - (SCALE - decimals)].trim_end_matches('.');
    Some(formatted(plain, column).unwrap_or_else(|| plain.to_owned()))
}

/// A number in billionths, and how many decimals it was written with.
fn parse(value: &str) -> Option<(i128, usize)> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty()
        || digits.len() > 18
        || !plain(digits)
        || !plain(fraction)
        || fraction.len() > SCALE
    {
        return None;
    }
    let units: i128 = format!("{whole}{fraction:0<SCALE$}").parse().ok()?;
    Some((units, fraction.len()))
}

#[cfg(test)]
mod tests {
    use super::sum;
    use countersign_approval::{Column, Format};

    fn check(values: &[&str], expect: Option<&str>) {
        let column = Column {
            format: Format::Money,
            currency: Some("EUR".to_owned()),
            ..Column::of("amount")
        };
        assert_eq!(sum(values.iter().copied(), &column).as_deref(), expect, "{values:?}");
    }

    #[test]
    fn f_200_amounts_are_added_exactly() {
        check(&["0.1", "0.2"], Some("0.30 EUR"));
        check(&["1250.5", "999.505", "-0.005"], Some("2,250.000 EUR"));
        check(&["-0.5", "0.25"], Some("-0.25 EUR"));
        check(&["1", "1e3"], None);
        check(&["1", ""], None);
        check(&[], Some("0.00 EUR"));
    }
}
