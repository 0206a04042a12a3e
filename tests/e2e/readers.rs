//! Files that are built to keep their reader busy: whoever sends one harms nobody else (ADR 18).

pub(crate) mod limits;

use std::io::{Cursor, Write as _};
use std::pin::pin;

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::case::{Person, person};
use crate::filings::upload;

const PAPERS: &str = "
id: papers
name: Papers
type: file_parser
version: 1.0.0
description: Papers, page by page.
connection: {source: upload, accepted_formats: [pdf, xlsx, xml, html]}
endpoints:
  read:
    description: Their text.
    parser: pdf_text
  sheet:
    description: The rows of a workbook.
    parser: xlsx
    header: false
  tree:
    description: The parts of a document.
    parser: xml
    root_element: a
    list_element: b
    fields: [{field: n, xpath: '@n', type: integer}]
  table:
    description: The rows of a page's table.
    parser: html_table
";

/// A PDF with one page of this content, which may draw the form `/X`.
fn pdf(content: &str, form: &str) -> Vec<u8> {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    let stream = |dict: &str, content: &str| {
        format!("<< {dict} /Length {} >>\nstream\n{content}\nendstream", content.len())
    };
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [5 0 R] /MediaBox [0 0 612 792] >>".to_owned(),
        font.to_owned(),
        stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << >>", form),
        "<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> >> >>".to_owned(),
        stream("", content),
    ];
    let (mut out, mut places) = ("%PDF-1.7\n".to_owned(), String::new());
    for (index, object) in objects.iter().enumerate() {
        places.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let xref = out.len();
    out.push_str(&format!(
        "xref\n0 7\n0000000000 65535 f \n{places}trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n"
    ));
    out.into_bytes()
}

/// A PDF whose page draws a long form many thousand times: within every bound of counting, and busy for hours.
fn endless() -> Vec<u8> {
    pdf(&"/X Do ".repeat(90_000), &"0 0 m 1 1 l S ".repeat(20_000))
}

/// A workbook whose only sheet has this content.
fn xlsx(sheet: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const LINKS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let links = |kind: &str, target: &str| {
        format!(
            "<Relationships xmlns='{LINKS}'><Relationship Id='r1' Type='{OFFICE}/{kind}' Target='{target}'/></Relationships>"
        )
    };
    let mut book = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [
        ("_rels/.rels", links("officeDocument", "xl/workbook.xml")),
        ("xl/_rels/workbook.xml.rels", links("worksheet", "worksheets/sheet1.xml")),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns='{MAIN}' xmlns:r='{OFFICE}'><sheets><sheet name='A' sheetId='1' r:id='r1'/></sheets></workbook>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns='{MAIN}'><sheetData>{sheet}</sheetData></worksheet>"),
        ),
    ] {
        book.start_file(name, SimpleFileOptions::default()).unwrap();
        book.write_all(content.as_bytes()).unwrap();
    }
    book.finish().unwrap().into_inner()
}

/// Somebody who may read papers.
async fn reader(name: &str) -> Person {
    let one = person(name, &["global:analyst"]).await;
    one.post("/connectors", &json!({ "yaml": PAPERS })).await;
    one
}

/// Somebody with an uploaded PDF; gives its id.
async fn with(name: &str, file: Vec<u8>) -> (Person, String) {
    let one = reader(name).await;
    let mut ids = upload(&one, vec![("paper.pdf".to_owned(), file)]).await;
    (one, ids.remove(0))
}

async fn tried((one, id): &(Person, String)) -> Value {
    read(one, "read", json!(id)).await
}

async fn read(one: &Person, endpoint: &str, source: Value) -> Value {
    let body = json!({ "endpoint": endpoint, "inputs": { "source": source } });
    one.post("/connectors/papers/test", &body).await
}

/// An entity that grows to ten billion letters.
fn laughs(root: &str) -> String {
    let levels: String = (1..10)
        .map(|n| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10)))
        .collect();
    format!("<!DOCTYPE {root} [<!ENTITY l0 'ha'>{levels}]><{root}>&l9;</{root}>")
}

#[tokio::test]
async fn f_099_one_persons_pdf_that_never_ends_holds_up_nobody_else() {
    let ana = with("ana", endless()).await;
    let bob = with("bob", pdf("BT /F1 12 Tf 72 720 Td (of bob) Tj ET", "")).await;
    let bobs = async || {
        let said = tried(&bob).await;
        assert_eq!(said["output"]["results"][0]["text"], "of bob", "{said:#}");
    };
    let mut endless = pin!(tried(&ana));
    let mut meanwhile = 0;
    // Bob reads for as long as Ana's reading lasts, which takes all the time that one has.
    let said = loop {
        tokio::select! {
            said = &mut endless => break said,
            () = bobs() => meanwhile += 1,
        }
    };
    assert_eq!(said["error"]["code"], "FILE_TIME", "{said:#}");
    assert!(meanwhile > 0, "nothing of bob's was read until ana's ended");
    // The same instances serve the next: nothing of it is left behind in them.
    for _ in 0..3 {
        bobs().await;
    }
}

/// A format: a hostile file with the code that it ends with, and a good one with a value of its record.
struct Format {
    endpoint: &'static str,
    name: &'static str,
    hostile: Vec<u8>,
    code: &'static str,
    good: Vec<u8>,
    value: Value,
}

fn formats() -> [Format; 4] {
    let row = "<row r='1'><c r='A1'><v>7</v></c></row>";
    [
        Format {
            endpoint: "read",
            name: "paper.pdf",
            // Each `q` keeps a state: within every bound of counting, and more than the child's memory.
            hostile: pdf(&"q ".repeat(500_000), ""),
            code: "FILE_TOO_COMPLEX",
            good: pdf("BT /F1 12 Tf 72 720 Td (of bob) Tj ET", ""),
            value: json!("of bob"),
        },
        Format {
            endpoint: "sheet",
            name: "book.xlsx",
            hostile: xlsx(&"<a>".repeat(200_000)),
            code: "FILE_",
            good: xlsx(row),
            value: json!(7),
        },
        Format {
            endpoint: "tree",
            name: "tree.xml",
            hostile: laughs("a").into(),
            code: "FILE_",
            good: b"<a><b n='7'/></a>".to_vec(),
            value: json!(7),
        },
        Format {
            endpoint: "table",
            name: "page.html",
            hostile: "<table><tr><td>".repeat(50_000).into(),
            code: "FILE_",
            good: b"<table><tr><th>n</th></tr><tr><td>seven</td></tr></table>".to_vec(),
            value: json!("seven"),
        },
    ]
}

#[tokio::test]
async fn f_099_a_hostile_file_of_any_format_ends_its_own_reading_alone() {
    let (ana, bob) = (reader("ana").await, reader("bob").await);
    for Format { endpoint, name, hostile, code, good, value } in formats() {
        let theirs = upload(&ana, vec![(name.to_owned(), hostile)]).await;
        let good = upload(&bob, vec![(name.to_owned(), good)]).await;
        let hostile = async || {
            let said = read(&ana, endpoint, json!(theirs[0])).await;
            let said_code = said["error"]["code"].as_str().unwrap_or_default();
            assert!(said_code.starts_with(code), "{endpoint}: {said:#}");
        };
        let good = async || {
            let said = read(&bob, endpoint, json!(good[0])).await;
            let results = &said["output"]["results"];
            let first = results[0].as_object().unwrap_or_else(|| panic!("{said:#}"));
            assert!(first.values().any(|found| *found == value), "{endpoint}: {said:#}");
        };
        // Beside each other, and in the instances that the hostile one leaves.
        tokio::join!(hostile(), hostile(), good(), good());
        good().await;
    }
}
