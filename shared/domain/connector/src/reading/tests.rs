//! Texts as sources write them.

mod digits;
mod locales;

use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::Reading;
use crate::model::ValueType;

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn check(text: &str, value_type: ValueType, expect: Value) {
    let (value, complaint) = Reading::default().convert(&[text.to_owned()], value_type);
    assert_eq!(value, expect, "{text}");
    assert_eq!(complaint.is_some(), expect.is_null(), "{text}");
}

#[test]
fn f_099_amounts_are_numbers() {
    check("1234567", ValueType::Number, json!(1_234_567));
    check("-12", ValueType::Number, json!(-12));
    check("1,234", ValueType::Number, json!(1234));
    check("40.50", ValueType::Number, json!(40.5));
    check("NONE", ValueType::Number, Value::Null);
    check("1.2.3", ValueType::Number, Value::Null);
    check("inf", ValueType::Number, Value::Null);
    check("40.00", ValueType::Integer, json!(40));
    check("40.5", ValueType::Integer, Value::Null);
}

#[test]
fn f_099_check_boxes_are_booleans() {
    check("X", ValueType::Boolean, json!(true));
    check("1", ValueType::Boolean, json!(true));
    check("false", ValueType::Boolean, json!(false));
    check("maybe", ValueType::Boolean, Value::Null);
}

#[test]
fn f_099_dates_keep_their_day() {
    check("2021-12-31", ValueType::Date, json!("2021-12-31"));
    check("2021-12-31-05:00", ValueType::Date, json!("2021-12-31"));
    for garbage in ["2021-12-31-99x", "2021-12-31+x", "2021-12-31Tnonsense", "2021-12-31Zx"] {
        check(garbage, ValueType::Date, Value::Null);
    }
    check("2021-12-31T10:00:00Z", ValueType::Date, json!("2021-12-31T10:00:00Z"));
    check("2021-02-30", ValueType::Date, Value::Null);
    check("12/31/2021", ValueType::Date, Value::Null);
}

#[test]
fn an_ein_keeps_its_leading_zero() {
    check("010203040", ValueType::String, json!("010203040"));
}

#[test]
fn f_099_commas_stand_between_thousands_or_it_is_no_number() {
    for text in ["1,234", "+1,234", "12,345,678", "-1,234.50", "999,999.999"] {
        let plain: f64 = text.replace(',', "").parse().unwrap();
        let (value, complaint) = Reading::default().convert(&[text.to_owned()], ValueType::Number);
        assert_eq!((value.as_f64(), complaint), (Some(plain), None), "{text}");
    }
    check("1,234,567", ValueType::Integer, json!(1_234_567));
    check("1,234.00", ValueType::Integer, json!(1234));
    for text in [
        "3,50",
        "1.234,56",
        "1,5",
        "0,123",
        "1,2345",
        "1234,567",
        ",123",
        "123,",
        "1,,234",
        "1,23,456",
        "1,234.",
        "1,234.5,6",
        "-,123",
        "1,234.-5",
        ",",
        "1, 234",
    ] {
        check(text, ValueType::Number, Value::Null);
        check(text, ValueType::Integer, Value::Null);
    }
    let list = ["1,234".to_owned(), "3,50".to_owned()];
    let (value, complaint) = Reading::default().convert(&list, ValueType::NumberList);
    assert_eq!(value, json!([1234]));
    let said =
        "`3,50` is not of type number; declare the endpoint's `locale` if it is written as in one";
    assert_eq!(complaint.as_deref(), Some(said));
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn f_099_grouped_numbers_are_what_they_are_without_commas(
        whole in any::<u32>(), fraction in proptest::option::of("[0-9]{1,6}"), negative in any::<bool>(),
    ) {
        let sign = if negative { "-" } else { "" };
        let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
        let written = format!("{sign}{}{fraction}", grouped(u64::from(whole)));
        let plain = format!("{sign}{whole}{fraction}");
        let read = |text: &str| Reading::default().convert(&[text.to_owned()], ValueType::Number);
        prop_assert_eq!(read(&written), read(&plain));
        prop_assert!(!read(&written).0.is_null());
    }

    #[test]
    fn f_099_no_comma_is_lost_unless_it_groups_thousands(text in "[+-]?[0-9.,]{1,12}") {
        let (value, complaint) = Reading::default().convert(std::slice::from_ref(&text), ValueType::Number);
        prop_assert_eq!(value.is_null(), complaint.is_some());
        if text.contains(',') && !value.is_null() {
            let unsigned = text.trim_start_matches(['-', '+']);
            let (groups, _) = unsigned.split_once('.').unwrap_or((unsigned, ""));
            let number = groups.replace(',', "").parse::<u64>().unwrap();
            prop_assert_eq!(groups, grouped(number));
        }
    }
}

/// Texts read by a locale: what each is, or nothing.
fn read(locale: &str, value_type: ValueType, texts: &[(&str, Value)]) {
    let reading = Reading::new(Some(locale), None).unwrap();
    for (text, expect) in texts {
        let (value, complaint) = reading.convert(&[(*text).to_owned()], value_type);
        assert_eq!(value, *expect, "{text} in {locale}");
        assert_eq!(complaint.is_some(), expect.is_null(), "{text} in {locale}");
    }
}

#[test]
fn f_099_sums_are_read_as_a_locale_writes_them() {
    read(
        "en-US",
        ValueType::Number,
        &[
            ("$4,200.00", json!(4200)),
            ("(45.00)", json!(-45)),
            ("($1,045.50)", json!(-1045.5)),
            ("$(45.00)", json!(-45)),
            ("45.00-", json!(-45)),
            ("-$45", json!(-45)),
            ("$-45", json!(-45)),
            ("\u{2212}45", json!(-45)),
            ("+45", json!(45)),
            ("USD 12.50", json!(12.5)),
            ("12.50\u{a0}USD", json!(12.5)),
            ("12.50\u{202f}$", json!(12.5)),
            (".5", json!(0.5)),
            ("1234567.5", json!(1_234_567.5)),
        ],
    );
    read(
        "de-DE",
        ValueType::Number,
        &[
            ("12.500,00", json!(12500)),
            ("12.500,75 €", json!(12500.75)),
            ("€ 1.234.567,5", json!(1_234_567.5)),
            ("-3,50 EUR", json!(-3.5)),
            ("1.234", json!(1234)),
            ("1234", json!(1234)),
        ],
    );
    read(
        "de-CH",
        ValueType::Number,
        &[("CHF 1’234.50", json!(1234.5)), ("1'234.50", json!(1234.5))],
    );
    read(
        "fr-FR",
        ValueType::Number,
        &[
            ("1\u{202f}234,50\u{a0}€", json!(1234.5)),
            ("1\u{a0}234", json!(1234)),
            ("1 234 567,8", json!(1_234_567.8)),
        ],
    );
    read(
        "en-IN",
        ValueType::Integer,
        &[("₹12,34,567", json!(1_234_567)), ("1,234,567", Value::Null)],
    );
    read("pt-PT", ValueType::Number, &[("1.234,5", json!(1234.5))]);
    read("ja-JP", ValueType::Integer, &[("¥1,200", json!(1200)), ("￥1,200", json!(1200))]);
    read("da-DK", ValueType::Number, &[("12,50 kr.", json!(12.5)), ("kr 12,50", json!(12.5))]);
}

#[test]
fn f_099_what_is_not_written_as_in_the_locale_is_a_complaint() {
    let none = |text| (text, Value::Null);
    read(
        "en-US",
        ValueType::Number,
        &[
            "€45",
            "£45",
            "45 EUR",
            "US$ 45",
            "$45 USD",
            "$$45",
            "(-45)",
            "--45",
            "((45))",
            "+-45",
            "45.",
            "12.500,00",
            "1,23",
            "1,2345",
            "0,123",
            "1,234,56",
            "1 234",
            "1'234",
            "",
            "$",
            "()",
            "-",
            "4 5",
            "45 %",
            "1.2.3",
            "1e5",
            "١٢",
        ]
        .map(none),
    );
    read(
        "de-DE",
        ValueType::Number,
        &["1234.50", "12.50", "1,234.50", "$45", "12.34,5", "1.2345", "1’234", "1.234.56"]
            .map(none),
    );
    read("fr-FR", ValueType::Number, &["1\u{a0}23", "1.234,5", "1\u{a0}234 567"].map(none));
}

#[test]
fn f_099_a_declared_currency_is_the_only_one() {
    let reading = Reading::new(Some("en-US"), Some("EUR")).unwrap();
    let read = |text: &str| reading.convert(&[text.to_owned()], ValueType::Number).0;
    assert_eq!(read("€1,234.50"), json!(1234.5));
    assert_eq!(read("EUR 45"), json!(45));
    assert_eq!(read("45"), json!(45));
    assert_eq!(read("$45"), Value::Null);
    for code in
        ["USD", "GBP", "CHF", "SEK", "PLN", "INR", "BRL", "CAD", "XOF", "XCD", "JPY", "MXN", "ZAR"]
    {
        assert!(Reading::new(Some("de-DE"), Some(code)).is_ok(), "{code}");
    }
    for code in ["UDS", "eur", "EU", "EURO", "€", "ZZZ"] {
        let error = Reading::new(Some("de-DE"), Some(code)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("`{code}` is not a currency")), "{error}");
    }
    assert!(Reading::new(None, Some("EUR")).is_err());
}

#[test]
fn f_099_dates_are_in_the_order_of_the_locale() {
    let day = || json!("2024-02-29");
    read(
        "en-US",
        ValueType::Date,
        &[
            ("02/29/2024", day()),
            ("2/29/2024", day()),
            ("2-29-2024", day()),
            ("2024-02-29", day()),
            ("2024-02-29T10:00:00Z", json!("2024-02-29T10:00:00Z")),
            ("29/02/2024", Value::Null),
            ("05.01.2025", Value::Null),
            ("02/30/2024", Value::Null),
            ("02/29/24", Value::Null),
            ("02/29-2024", Value::Null),
            ("02/29/02024", Value::Null),
            ("2024/02/29", Value::Null),
        ],
    );
    read(
        "de-DE",
        ValueType::Date,
        &[("29.02.2024", day()), ("29. 2. 2024", day()), ("29.02.24", Value::Null)],
    );
    read("en-GB", ValueType::Date, &[("29/02/2024", day()), ("02/29/2024", Value::Null)]);
    read("sv-SE", ValueType::Date, &[("2024-02-29", day()), ("2024/2/29", day())]);
    read("hu-HU", ValueType::Date, &[("2024. 02. 29.", day())]);
    read("ja-JP", ValueType::Date, &[("2024年2月29日", day()), ("2024/02/29", day())]);
    // Other calendars are not guessed at.
    read("th-TH", ValueType::Date, &[("29/02/2567", Value::Null), ("2024-02-29", day())]);
}

#[test]
fn f_099_a_complaint_shows_the_text_and_what_may_help() {
    let said = |reading: &Reading, text: &str, value_type| {
        reading.convert(&[text.to_owned()], value_type).1.unwrap()
    };
    let plain = Reading::default();
    for text in ["$4,200.00", "(45.00)", "12.500,00", "1’234.50", "EUR 45", "1 234"] {
        let expect = format!(
            "`{text}` is not of type number; declare the endpoint's `locale` if it is written as in one"
        );
        assert_eq!(said(&plain, text, ValueType::Number), expect);
    }
    for text in ["n/a", "see note", "12 km", "-", "USD"] {
        assert_eq!(
            said(&plain, text, ValueType::Number),
            format!("`{text}` is not of type number")
        );
    }
    assert!(said(&plain, "02/29/2024", ValueType::Date).contains("`locale`"));
    assert!(said(&plain, "02/29/24", ValueType::Date).ends_with("its year must have four digits"));
    let german = Reading::new(Some("de-DE"), None).unwrap();
    assert_eq!(said(&german, "$45", ValueType::Number), "`$45` is not of type number");
    let long = "9".repeat(200) + "x";
    assert_eq!(
        said(&german, &long, ValueType::Number),
        format!("`{}` is not of type number", "9".repeat(60))
    );
}

#[test]
fn f_099_an_unknown_locale_names_a_near_one() {
    let near = |tag: &str| match Reading::new(Some(tag), None) {
        Err(super::InvalidReading::Locale(invalid)) => invalid.near,
        other => panic!("{tag}: {other:?}"),
    };
    assert_eq!(near("en_US").as_deref(), Some("en-US"));
    assert_eq!(near("en-us").as_deref(), Some("en-US"));
    assert_eq!(near("DE-de").as_deref(), Some("de-DE"));
    assert_eq!(near("de").as_deref(), Some("de-DE"));
    assert_eq!(near("zh-Hant-TW").as_deref(), Some("zh-TW"));
    assert_eq!(near("ca_ES@valencia").as_deref(), Some("ca-ES"));
    assert!(near("en-UK").is_some_and(|near| near.starts_with("en-")));
    assert_eq!(near("1234"), None);
    assert!(Reading::new(Some("sr-Latn-RS"), None).is_ok());
    assert!(Reading::new(Some("ca-ES@valencia"), None).is_err());
}

#[test]
fn a_reading_is_stored_by_its_names() {
    let reading = Reading::new(Some("fr-CH"), Some("EUR")).unwrap();
    let stored = serde_json::to_value(&reading).unwrap();
    assert_eq!(stored, json!({ "locale": "fr-CH", "currency": "EUR" }));
    assert_eq!(serde_json::from_value::<Reading>(stored).unwrap(), reading);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn f_099_what_a_locale_writes_it_reads(
        cents in any::<i64>().prop_map(|n| n / 1_000), pick in 0usize..6, form in 0usize..4,
    ) {
        let (locale, point, mark, sign) = [
            ("en-US", ".", ",", "$"), ("de-DE", ",", ".", "€"), ("fr-FR", ",", "\u{202f}", "€"),
            ("de-CH", ".", "’", "CHF"), ("pl-PL", ",", "\u{a0}", "zł"), ("pt-BR", ",", ".", "R$"),
        ][pick];
        let whole = grouped(cents.unsigned_abs() / 100).replace(',', mark);
        let amount = format!("{whole}{point}{:02}", cents.unsigned_abs() % 100);
        let written = match (form, cents < 0) {
            (0, true) => format!("({sign}{amount})"),
            (1, true) => format!("-{sign} {amount}"),
            (2, true) => format!("{amount}\u{a0}{sign}-"),
            (_, true) => format!("\u{2212}{amount} {sign}"),
            (0, false) => format!("{sign}{amount}"),
            (_, false) => format!("{amount} {sign}"),
        };
        let reading = Reading::new(Some(locale), None).unwrap();
        let minus = if cents < 0 { "-" } else { "" };
        let digits = cents.unsigned_abs();
        let expect = format!("{minus}{}.{:02}", digits / 100, digits % 100);
        let found = reading.plain(&written).map(String::from);
        prop_assert_eq!(found, Some(expect));
    }

    #[test]
    fn f_099_no_text_panics_in_a_locale(text in "[-+()$€CHF0-9., ’\u{202f}/]{0,16}", pick in 0usize..4) {
        let locale = ["en-US", "de-DE", "de-CH", "en-IN"][pick];
        let reading = Reading::new(Some(locale), None).unwrap();
        for value_type in [ValueType::Number, ValueType::Integer, ValueType::Date] {
            let (value, complaint) = reading.convert(std::slice::from_ref(&text), value_type);
            prop_assert_eq!(value.is_null(), complaint.is_some());
        }
    }
}
