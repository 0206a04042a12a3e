use std::cmp::Ordering;

use proptest::prelude::*;

use super::{BOUND, DIGITS, Decimal, InvalidDecimal, moved};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_point_is_moved_to_the_left() {
    for (number, places, expect) in
        [(125_000, 2, "1250.00"), (-5, 2, "-0.05"), (0, 3, "0.000"), (7, 0, "7"), (-70, 1, "-7.0")]
    {
        assert_eq!(moved(number, places), expect);
    }
}

#[test]
fn f_091_decimals_keep_the_digits_they_were_written_with() {
    for (text, expect) in [
        ("1250.00", "1250.00"),
        ("-45.10", "-45.10"),
        ("+1", "1"),
        (".5", "0.5"),
        ("007.50", "7.50"),
        ("-0.00", "0.00"),
        ("0", "0"),
        ("5.", "5"),
        ("9999999999999999999999999999", "9999999999999999999999999999"),
        ("0.0000000000000000000000000001", "0.0000000000000000000000000001"),
    ] {
        assert_eq!(decimal(text).to_string(), expect);
    }
    for text in
        ["", "-", ".", "1e3", "1_000", "1,000", " 1", "0x1", "NaN", "inf", "1.2.3", "--1", "١"]
    {
        assert_eq!(Decimal::parse(text), Err(InvalidDecimal::NotPlain), "{text}");
    }
    for text in [
        "10000000000000000000000000000",
        "0.00000000000000000000000000001",
        "12345678901234567890.123456789",
    ] {
        assert_eq!(Decimal::parse(text), Err(InvalidDecimal::TooLong), "{text}");
    }
}

#[test]
fn numbers_of_json_are_read_with_their_exponent() {
    for (text, expect) in [
        ("1e3", "1000"),
        ("1.50e1", "15"),
        ("-2.5E-7", "-0.00000025"),
        ("0e99", "0"),
        ("1.25", "1.25"),
        ("12e-1", "1.2"),
        ("1e27", "1000000000000000000000000000"),
    ] {
        assert_eq!(Decimal::of_json(text).unwrap().to_string(), expect, "{text}");
    }
    for text in ["1e28", "1e-29", "1e300", "1e-300", "1e99999999999999999999"] {
        assert!(Decimal::of_json(text).is_err(), "{text}");
    }
}

#[test]
fn only_what_a_decimal_prints_is_canonical() {
    for text in ["0", "0.00", "-1", "12.50"] {
        assert!(Decimal::canonical(text).is_some(), "{text}");
    }
    for text in ["007", "+1", ".5", "5.", "", "-", "1e3", "01.5", "-.5"] {
        assert!(Decimal::canonical(text).is_none(), "{text}");
    }
}

#[test]
fn a_sum_that_needs_more_digits_is_none() {
    let most = decimal("9999999999999999999999999999");
    assert!(most.checked_add(decimal("1")).is_none());
    assert!(most.checked_add(decimal("0.1")).is_none());
    assert_eq!(most.checked_add(decimal("0.0")).unwrap(), most);
    assert!(decimal("1000000000000000000000000000").checked_add(decimal("0.01")).is_none());
    let sum = |a: &str, b: &str| decimal(a).checked_add(decimal(b)).map(|sum| sum.to_string());
    let (a, b) = ("555505257701235998684231340.3", "871947123234170774088826349.7");
    assert_eq!(sum(a, b).as_deref(), Some("1427452380935406772773057690"));
    let (a, b) = ("999999999999999999999999999.3", "999999999999999999999999999.7");
    assert_eq!(sum(a, b).as_deref(), Some("1999999999999999999999999999"));
    assert_eq!(sum("0.00", "5").as_deref(), Some("5.00"));
    assert_eq!(sum("1.50", "-1.50").as_deref(), Some("0.00"));
}

#[test]
fn averages_are_rounded_half_to_even() {
    let average =
        |sum: &str, count| decimal(sum).shared_among(count).map(|found| found.to_string());
    assert_eq!(average("10", 3).as_deref(), Some("3.333333"));
    assert_eq!(average("20.00", 3).as_deref(), Some("6.666667"));
    assert_eq!(average("30.00", 2).as_deref(), Some("15.00"));
    assert_eq!(average("0.000001", 2).as_deref(), Some("0.000000"));
    assert_eq!(average("1", 8).as_deref(), Some("0.125"));
    assert_eq!(average("0.000003", 2).as_deref(), Some("0.000002"));
    assert_eq!(average("-0.000003", 2).as_deref(), Some("-0.000002"));
    assert_eq!(average("-0.000005", 2).as_deref(), Some("-0.000002"));
    assert_eq!(average("1", 0), None);
}

/// A decimal as units of `10^-scale`.
fn parts() -> impl Strategy<Value = (i128, u32)> {
    let units = prop_oneof![-1_000..1_000i128, -10_i128.pow(20)..10_i128.pow(20), 1 - BOUND..BOUND];
    (units, 0..=10u32)
}

fn written((units, scale): (i128, u32)) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// The units at the scale both share.
fn common(a: (i128, u32), b: (i128, u32)) -> (i128, i128, u32) {
    let scale = a.1.max(b.1);
    let at = |(units, own): (i128, u32)| units * 10_i128.pow(scale - own);
    (at(a), at(b), scale)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn f_091_what_is_written_is_read_and_printed_again(value in parts()) {
        prop_assert_eq!(decimal(&written(value)).to_string(), written(value));
    }

    #[test]
    fn f_091_comparing_is_exact(a in parts(), b in parts()) {
        let (x, y, _) = common(a, b);
        prop_assert_eq!(decimal(&written(a)).cmp(&decimal(&written(b))), x.cmp(&y));
    }

    #[test]
    fn f_091_sums_are_exact_or_none(a in parts(), b in parts()) {
        let (x, y, scale) = common(a, b);
        let (mut sum, mut places) = (x + y, scale);
        let found = decimal(&written(a)).checked_add(decimal(&written(b)));
        match found {
            Some(found) => prop_assert_eq!(found.cmp(&decimal(&written(reduced(sum, places)))), Ordering::Equal),
            None => {
                (sum, places) = reduced(sum, places);
                prop_assert!(sum.abs() >= BOUND, "{sum} {places}");
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[-+.0-9eE]{0,40}") {
        let _ = Decimal::of_json(&text);
        if let Some(found) = Decimal::canonical(&text) {
            let printed = found.to_string();
            prop_assert_eq!(printed.trim_start_matches('-'), text.trim_start_matches('-'));
            prop_assert!(text.len() <= DIGITS as usize + 3);
        }
    }
}

/// Without noughts at the end.
fn reduced(mut units: i128, mut scale: u32) -> (i128, u32) {
    while scale > 0 && units % 10 == 0 {
        units /= 10;
        scale -= 1;
    }
    (units, scale)
}

#[test]
fn f_091_a_float_that_loses_digits_is_known() {
    let keeps = |text: &str| super::keeps_digits(text, text.parse().unwrap());
    // Both are shortest texts of one number, …257.25, and equally near.
    assert!(keeps("994269743532257.2") && keeps("994269743532257.3"));
    for kept in [
        "0.1",
        "-40.50",
        "007",
        "1e3",
        "1E-7",
        "0",
        "0.30000000000000004",
        "19.989999999999998",
        "1e22",
    ] {
        assert!(keeps(kept), "{kept}");
    }
    for lost in ["1234567890123456.78", "999999999999999.99", "99999999999999999999", "1e-400"] {
        assert!(!keeps(lost), "{lost}");
    }
}
