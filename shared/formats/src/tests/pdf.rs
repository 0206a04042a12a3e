use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::json;

use super::{check, check_error, read, reader};
use crate::{FormatError, Limits, Stop};

/// A document of these objects, numbered from 1; the first is the catalogue.
fn document(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n", index + 1).into_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let xref = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n",
        objects.len() + 1
    );
    out.extend(trailer.into_bytes());
    out
}

fn stream(dict: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dict} /Length {} >>\nstream\n", content.len()).into_bytes();
    out.extend(content);
    out.extend(b"\nendstream");
    out
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One page per content, all with one font and one form.
fn pages(contents: &[Vec<u8>], form: Vec<u8>) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len()).map(|n| format!("{} 0 R", 5 + 2 * n)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!(
            "<< /Type /Pages /Count {} /Kids [{}] /MediaBox [0 0 612 792] >>",
            kids.len(),
            kids.join(" ")
        )
        .into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_vec(),
        form,
    ];
    for (n, content) in contents.iter().enumerate() {
        objects.push(format!("<< /Type /Page /Parent 2 0 R /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> >> >>", 6 + 2 * n).into_bytes());
        objects.push(content.clone());
    }
    document(&objects)
}

fn written(text: &str) -> Vec<u8> {
    format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET").into_bytes()
}

fn form(content: &str) -> Vec<u8> {
    stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> >>",
        content.as_bytes(),
    )
}

pub(super) fn two_pages() -> Vec<u8> {
    let second = packed(&written("Grant of 240,000 to Northshore"));
    pages(
        &[stream("", &written("Harborlight 2021")), stream("/Filter /FlateDecode", &second)],
        form(""),
    )
}

#[test]
fn f_099_a_pdf_gives_a_record_per_page() {
    check(
        "parser: pdf_text",
        &two_pages(),
        json!([{ "page": 1, "text": "Harborlight 2021" }, { "page": 2, "text": "Grant of 240,000 to Northshore" }]),
    );
}

#[test]
fn f_099_a_pdf_gives_one_record_when_asked() {
    check(
        "parser: pdf_text\nrecords: document",
        &two_pages(),
        json!([{ "pages": 2, "text": "Harborlight 2021\n\nGrant of 240,000 to Northshore" }]),
    );
}

#[test]
fn f_099_a_page_without_text_is_said_and_a_bad_one_is_left_out() {
    let file = pages(&[stream("", b"0 0 10 10 re f"), stream("", &written("text"))], form(""));
    let found = check(
        "parser: pdf_text",
        &file,
        json!([{ "page": 1, "text": null }, { "page": 2, "text": "text" }]),
    );
    assert_eq!(found.warnings[0].message, "page 1 has no text: it may be a picture");
    let broken = pages(
        &[stream("", b"BT /Nope 12 Tf 72 720 Td (x) Tj ET"), stream("", &written("text"))],
        form(""),
    );
    let found = check("parser: pdf_text", &broken, json!([{ "page": 2, "text": "text" }]));
    assert!(found.warnings[0].message.starts_with("page 1 is left out"), "{:?}", found.warnings);
    let all = pages(&[stream("", b"BT /Nope 12 Tf 72 720 Td (x) Tj ET")], form(""));
    check_error("parser: pdf_text", &all, "FILE_MALFORMED", "page 1");
}

#[test]
fn f_099_what_is_no_pdf_is_said_to_be_none() {
    check_error("parser: pdf_text", b"PK\x03\x04", "FILE_MALFORMED", "it starts with `PK..`");
    let whole = two_pages();
    check_error(
        "parser: pdf_text",
        &whole[..whole.len() / 2],
        "FILE_TRUNCATED",
        "the end of the document is missing",
    );
    check_error("parser: pdf_text", b"%PDF-1.7\n%%EOF", "FILE_MALFORMED", "the document");
    check_error(
        "parser: pdf_text",
        b"%PDF-1.7\ntrailer << /Encrypt 5 0 R >> %%EOF",
        "FILE_MALFORMED",
        "protected",
    );
    check_error("parser: pdf_text", &pages(&[], form("")), "FILE_MALFORMED", "no pages");
}

#[test]
fn f_099_a_pdf_that_is_a_bomb_is_refused_before_it_is_opened() {
    let limits = Limits { max_unpacked_bytes: 4 * 1024 * 1024, ..Limits::for_megabytes(50) };
    let once = packed(&vec![b' '; 8 * 1024 * 1024]);
    let twice = packed(&once);
    for (filter, content) in [("/FlateDecode", once), ("[/FlateDecode /FlateDecode]", twice)] {
        assert!(content.len() < 64 * 1024);
        let file = pages(&[stream(&format!("/Filter {filter}"), &content)], form(""));
        let read = reader("parser: pdf_text").read(&file[..], &limits, &Stop::default());
        let message = read.unwrap_err().to_string();
        assert!(message.contains("bytes when it is unpacked at byte"), "{message}");
    }
}

#[test]
fn f_099_forms_that_draw_themselves_or_too_much_are_refused() {
    let fine = pages(&[stream("", b"/X Do")], form("BT /F1 12 Tf 72 720 Td (in a form) Tj ET"));
    check("parser: pdf_text", &fine, json!([{ "page": 1, "text": "in a form" }]));
    let circle = pages(&[stream("", b"/X Do")], form("/X Do"));
    check_error("parser: pdf_text", &circle, "FILE_MALFORMED", "a form draws itself");
    let nameless = stream("/Type /XObject /Subtype /Form /BBox [0 0 100 100]", b"/X Do");
    let inherited = pages(&[stream("", b"/X Do")], nameless);
    check_error("parser: pdf_text", &inherited, "FILE_MALFORMED", "does not name");
    let often = pages(&[stream("", "/X Do ".repeat(200_000).as_bytes())], form(""));
    check_error("parser: pdf_text", &often, "FILE_LIMIT", "forms drawn at page 1");
}

#[test]
fn f_099_a_form_with_much_text_is_not_written_beyond_the_bounds() {
    let much = format!("BT /F1 12 Tf 72 720 Td ({}) Tj ET", "word ".repeat(400));
    let drawn = pages(&[stream("", "/X Do ".repeat(200).as_bytes())], form(&much));
    let limits = Limits { max_kept_bytes: 100_000, ..Limits::for_megabytes(1) };
    let error = reader("parser: pdf_text").read(&drawn[..], &limits, &Stop::default()).unwrap_err();
    assert!(error.to_string().contains("100000 bytes of text at page 1"), "{error}");
    let once = pages(&[stream("", b"/X Do")], form(&much));
    assert!(reader("parser: pdf_text").read(&once[..], &limits, &Stop::default()).is_ok());
}

#[test]
fn f_099_a_page_tree_that_goes_round_is_refused() {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] /Parent 2 0 R >>",
        "<< /Type /Page /Parent 2 0 R >>",
    ];
    let objects: Vec<Vec<u8>> = objects.iter().map(|object| object.as_bytes().to_vec()).collect();
    check_error("parser: pdf_text", &document(&objects), "FILE_MALFORMED", "in a circle");
}

#[test]
fn f_099_pdfs_are_bounded_in_pages_and_time() {
    let limits = Limits { max_pages: 1, ..Limits::for_megabytes(1) };
    let reader = reader("parser: pdf_text");
    let error = reader.read(&two_pages()[..], &limits, &Stop::default()).unwrap_err();
    assert!(error.to_string().contains("1 pages"), "{error}");
    let stop = Stop::default();
    stop.now();
    let error = reader.read(&two_pages()[..], &Limits::for_megabytes(1), &stop).unwrap_err();
    assert_eq!(error, FormatError::Time);
    assert!(read("parser: pdf_text", &two_pages()).is_ok());
}
