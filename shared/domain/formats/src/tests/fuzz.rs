//! No bytes make a reader panic, hang or grow.

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use super::{Pieces, pdf, read, reader, xlsx};
use crate::{Limits, Stop};

const ALL: [&str; 8] = [
    "parser: csv",
    "parser: csv\nheader: false\ndelimiter: ';'\nencoding: utf-16le\nfields: [{ field: a, column: 2, type: number }]",
    "parser: xlsx",
    "parser: json\nresults_path: 'a[*].b'\nfields: [{ field: a, path: 'x[0].y', type: date }]",
    "parser: json",
    "parser: jsonl",
    "parser: html_table\nfields: [{ field: a, column: [A, 2], type: number }]",
    "parser: pdf_text",
];

/// Reads with every reader; what matters is that each of them comes back.
fn all(bytes: &[u8]) {
    for endpoint in ALL {
        let _outcome = read(endpoint, bytes);
    }
}

fn damaged(mut bytes: Vec<u8>, places: &[(usize, u8)], cut: usize) -> Vec<u8> {
    for (at, byte) in places {
        let length = bytes.len();
        bytes[at % length] = *byte;
    }
    let cut = cut % (bytes.len() * 4);
    bytes.truncate(cut.max(1).min(bytes.len()));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        all(&bytes);
        all(&[b"PK\x03\x04", &bytes[..]].concat());
        all(&[b"%PDF-1.4\n", &bytes[..], b"\n%%EOF"].concat());
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "([\\[\\]{}\",:;\\\\\n\r\t ]|[a-z0-9]{1,4}|<[/a-z]{1,6}>?|<table>|<tr>|<td|é|\\PC){0,60}") {
        all(text.as_bytes());
    }

    #[test]
    fn no_damage_of_a_workbook_makes_the_reader_panic(places in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12), cut in any::<usize>()) {
        let _outcome = read("parser: xlsx", &damaged(xlsx::workbook(), &places, cut));
    }

    #[test]
    fn no_damage_of_a_pdf_makes_the_reader_panic(places in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12), cut in any::<usize>()) {
        let _outcome = read("parser: pdf_text", &damaged(pdf::two_pages(), &places, cut));
    }

    #[test]
    fn any_table_of_texts_comes_back(rows in proptest::collection::vec(proptest::collection::vec("[a-z,;\"\n é=]{0,8}", 3), 1..20), size in 1_usize..50) {
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let lines: Vec<String> = rows.iter().map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(",")).collect();
        let file = format!("a,b,c\n{}\n", lines.join("\n"));
        let csv = reader("parser: csv\ndelimiter: ','");
        let found = csv.read(Pieces(file.as_bytes(), size), &Limits::for_megabytes(1), &Stop::default()).unwrap();
        let kept: Vec<&Vec<String>> = rows.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty())).collect();
        prop_assert_eq!(found.records.len(), kept.len());
        for (record, row) in found.records.into_iter().zip(kept) {
            for (cell, name) in row.iter().zip(["a", "b", "c"]) {
                prop_assert_eq!(record[name].as_str().unwrap_or_default(), cell.trim());
            }
        }
    }

    #[test]
    fn any_json_comes_back(numbers in proptest::collection::vec((any::<i64>(), "\\PC{0,12}"), 0..30), size in 1_usize..64) {
        let items: Vec<serde_json::Value> = numbers.iter().map(|(n, text)| serde_json::json!({ "num": n, "t": { "x": text } })).collect();
        let body = serde_json::to_vec_pretty(&serde_json::json!({ "skip": items, "list": items })).unwrap();
        let json = reader("parser: json\nresults_path: list\nfields: [{ field: num, path: num }, { field: txt, path: t.x }]");
        let found = json.read(Pieces(&body, size), &Limits::for_megabytes(1), &Stop::default()).unwrap();
        prop_assert_eq!(found.records.len(), numbers.len());
        for (record, (n, text)) in found.records.into_iter().zip(&numbers) {
            prop_assert!(record["num"] == *n && record["txt"] == text.as_str());
        }
    }
}
