//! What the data says of all locales.

use std::collections::BTreeSet;

use pure_rust_locales::{Locale as Data, locale_match};
use serde_json::{Value, json};

use super::read;
use crate::model::ValueType;
use crate::reading::{InvalidReading, Reading};

/// Locales whose numbers and sums have different decimal marks.
const TWO_MARKS: [&str; 19] = [
    "agr-PE",
    "ayc-PE",
    "az-AZ",
    "az-IR",
    "be-BY",
    "be-Latn-BY",
    "ce-RU",
    "crh-UA",
    "cv-RU",
    "es-PE",
    "fa-IR",
    "ff-SN",
    "ky-KG",
    "mhr-RU",
    "mn-MN",
    "quz-PE",
    "ru-UA",
    "tg-TJ",
    "tt-RU",
];

/// The tags of all locales that may be declared, with their data.
fn all() -> Vec<(String, Data)> {
    let mut regions = BTreeSet::new();
    let mut found = Vec::new();
    let upper: Vec<String> = words(2).map(|word| word.to_uppercase()).collect();
    for language in words(2) {
        for region in &upper {
            if let Ok(data) = format!("{language}_{region}").parse::<Data>() {
                regions.insert(region.clone());
                found.push((format!("{language}-{region}"), data));
            }
        }
    }
    for language in words(3) {
        for region in &regions {
            if let Ok(data) = format!("{language}_{region}").parse::<Data>() {
                found.push((format!("{language}-{region}"), data));
            }
        }
    }
    let scripts: Vec<(String, Data)> = found.iter().flat_map(|(tag, _)| in_scripts(tag)).collect();
    found.extend(scripts);
    found
}

fn in_scripts(tag: &str) -> Vec<(String, Data)> {
    let (language, region) = tag.split_once('-').unwrap();
    let scripts = [("Latn", "latin"), ("Cyrl", "cyrillic"), ("Deva", "devanagari")];
    let known = scripts.into_iter().filter_map(|(script, modifier)| {
        let data = format!("{language}_{region}@{modifier}").parse().ok()?;
        Some((format!("{language}-{script}-{region}"), data))
    });
    known.collect()
}

/// All words of some letters.
fn words(letters: u32) -> impl Iterator<Item = String> {
    (0..26u32.pow(letters)).map(move |number| {
        let letter = |at| char::from(b'a' + u8::try_from(number / 26u32.pow(at) % 26).unwrap());
        (0..letters).rev().map(letter).collect()
    })
}

#[test]
fn f_099_a_locale_with_two_decimal_marks_is_refused() {
    let all = all();
    assert!(all.len() > 290, "{}", all.len());
    let mut refused = BTreeSet::new();
    for (tag, data) in &all {
        match Reading::new(Some(tag), None) {
            Ok(_) => {
                let marks = [
                    locale_match!(data => LC_NUMERIC::DECIMAL_POINT),
                    locale_match!(data => LC_MONETARY::MON_DECIMAL_POINT),
                ];
                assert_eq!(marks[0], marks[1], "{tag}");
            }
            Err(InvalidReading::TwoMarks { .. }) => {
                refused.insert(tag.as_str());
            }
            Err(other) => panic!("{tag}: {other}"),
        }
    }
    assert_eq!(refused, BTreeSet::from(TWO_MARKS));
    let error = Reading::new(Some("es-PE"), None).unwrap_err().to_string();
    let said = "`es-PE` writes `,` before the fraction of a number and `.` before that of a sum";
    assert!(error.starts_with(said) && error.contains("declare `en-US`"), "{error}");
    let peru = Reading::new(Some("en-US"), Some("PEN")).unwrap();
    let sum = peru.convert(&["S/ 1,234".to_owned()], ValueType::Number);
    assert_eq!(sum, (json!(1234), None));
}

#[test]
fn f_099_a_month_with_a_name_gives_no_order_of_numbers() {
    let day = || json!("2024-03-04");
    for locale in ["en-HK", "en-PH", "kl-GL", "nb-NO", "ar-EG"] {
        let dates =
            [("03/04/2024", Value::Null), ("03.04.2024", Value::Null), ("2024-03-04", day())];
        read(locale, ValueType::Date, &dates);
    }
    let reading = Reading::new(Some("en-HK"), None).unwrap();
    let (_, complaint) = reading.convert(&["03/04/2024".to_owned()], ValueType::Date);
    let said = "`03/04/2024` is not of type date; the locale has no order of day and month in numbers, only dates as `2024-12-31` are read";
    assert_eq!(complaint.as_deref(), Some(said));
    for (tag, data) in all() {
        let format = locale_match!(data => LC_TIME::D_FMT);
        let named = ["%b", "%B"].iter().any(|name| format.contains(name));
        if let (true, Ok(reading)) = (named, Reading::new(Some(&tag), None)) {
            let (value, _) = reading.convert(&["03/04/2024".to_owned()], ValueType::Date);
            assert_eq!(value, Value::Null, "{tag}");
        }
    }
}
