//! Delimiters that are found, and those that cannot be.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use serde_json::json;

use super::{check, check_error, read};

/// An endpoint without a header that maps a name and an amount.
fn plain(locale: &str) -> String {
    let locale = if locale.is_empty() { String::new() } else { format!("locale: {locale}\n") };
    format!(
        "parser: csv\nheader: false\n{locale}fields:\n  - {{ field: name, column: 1 }}\n  - {{ field: amount, column: 2, type: number }}"
    )
}

#[test]
fn f_099_the_decimal_mark_of_the_locale_is_not_a_delimiter() {
    let expect = json!([{ "name": "Acme", "amount": 1.5 }, { "name": "Beta", "amount": 22.75 }]);
    check(&plain("de-DE"), b"Acme;1,50\nBeta;22,75\n", expect.clone());
    check(&plain("de-DE"), b"Acme|1,50\nBeta|22,75\n", expect);
    let sums = json!([{ "name": "1,250", "amount": 2500 }]);
    check(&plain("en-US"), b"1,250;2,500\n", sums);
    // Around it are quotes or letters: it separates.
    let quoted = b"\"Acme\",\"1,50\"\nBeta,\"22,75\"\n";
    let expect = json!([{ "name": "Acme", "amount": 1.5 }, { "name": "Beta", "amount": 22.75 }]);
    check(&plain("de-DE"), quoted, expect);
    let one = "parser: csv\nlocale: de-DE\nfields: [{ field: sum, column: sum, type: number }]";
    check(one, b"sum\n1,50\n22,75\n", json!([{ "sum": 1.5 }, { "sum": 22.75 }]));
    check_error(&plain("de-DE"), b"1,50\n2,75\n", "FILE_WRONG_KIND", "decimal mark");
}

#[test]
fn f_099_two_delimiters_that_are_possible_are_refused() {
    let either = "`,` and `;` both separate the first rows";
    check_error(&plain(""), b"Acme;1,50\nBeta;22,75\n", "FILE_WRONG_KIND", either);
    check_error(&plain(""), b"Acme;1,50\nBeta\nGamma;22,75\n", "FILE_WRONG_KIND", either);
    check_error(&plain("de-DE"), b"Acme, Ulm;1,50\n", "FILE_WRONG_KIND", "`,` and `;`");
    let more = "`,` and `;` both separate";
    check_error(&plain(""), b"1,250;2,500\n", "FILE_WRONG_KIND", more);
    check_error("parser: csv", b"a, EUR\tb\n1,5\t2\n", "FILE_WRONG_KIND", "a tab");
}

#[test]
fn f_099_a_header_shows_the_delimiter() {
    let expect = json!([{ "name": "Acme", "amount": "1,5" }, { "name": "Beta", "amount": null }]);
    check("parser: csv", b"name;amount\nAcme;1,5\nBeta\n", expect);
    let expect = json!([{ "id": "1", "tags": "a;b" }, { "id": "2", "tags": "c;d" }]);
    check("parser: csv", b"id,tags\n1,a;b\n2,c;d\n", expect);
    // Neither is in the header: what does not fit under it is reported.
    let found = read("parser: csv", b"text\nhello, world; ok\n").unwrap();
    assert_eq!(found.warnings[0].message, "line 2 has 2 cells, the first row 1");
}

proptest! {
    #[test]
    fn f_099_no_amount_is_split_at_its_decimal_comma(
        rows in proptest::collection::vec((1u32..99_999, 0u32..100), 1..8), pick in 0usize..3,
    ) {
        let locale = ["de-DE", "fr-FR", "pl-PL"][pick];
        let lines = rows.iter().map(|(whole, cents)| format!("Acme;{whole},{cents:02}\n"));
        let found = read(&plain(locale), lines.collect::<String>().as_bytes()).unwrap();
        prop_assert!(found.warnings.is_empty());
        for (record, (whole, cents)) in found.records.iter().zip(&rows) {
            let expect = format!("{whole}.{cents:02}").parse::<f64>().unwrap();
            prop_assert_eq!(record["amount"].as_f64(), Some(expect));
        }
    }
}
