use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::json;

use super::{check, check_error, read, reader};
use crate::{FormatError, Limits, Stop};

/// A document of these objects, numbered from 1; the first is the catalogue.
pub(super) fn document(objects: &[Vec<u8>]) -> Vec<u8> {
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

pub(super) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One page per content, all with one font and one form.
pub(super) fn pages(contents: &[Vec<u8>], form: Vec<u8>) -> Vec<u8> {
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

pub(super) fn form(content: &str) -> Vec<u8> {
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

/// What it takes to unpack so much is refused, however it is packed.
fn check_bomb(what: &str, dict: &str, content: &[u8]) {
    assert!(content.len() < 128 * 1024, "{what}: {}", content.len());
    let file = pages(&[stream(dict, content)], form(""));
    let limits = Limits { max_unpacked_bytes: 4 * 1024 * 1024, ..Limits::for_megabytes(50) };
    let read = reader("parser: pdf_text").read(&file[..], &limits, &Stop::default());
    let message = read.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(
        message.contains("more than 4194304 bytes when it is unpacked at byte"),
        "{what}: {message}"
    );
}

/// Bytes as text of 85 characters.
pub(super) fn ascii85(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(4) {
        let mut group = [0; 4];
        group[..chunk.len()].copy_from_slice(chunk);
        let mut value = u32::from_be_bytes(group);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = b'!' + (value % 85) as u8;
            value /= 85;
        }
        out.extend(digits);
    }
    out.extend(b"~>");
    out
}

pub(super) fn lzw(bytes: &[u8], early: bool) -> Vec<u8> {
    let order = weezl::BitOrder::Msb;
    let mut encoder = if early {
        weezl::encode::Encoder::with_tiff_size_switch(order, 8)
    } else {
        weezl::encode::Encoder::new(order, 8)
    };
    encoder.encode(bytes).unwrap()
}

#[test]
fn f_099_a_bomb_is_found_in_every_packing_the_library_knows() {
    let much = vec![b' '; 8 * 1024 * 1024];
    let once = packed(&much);
    check_bomb("text around it", "/Filter [/ASCII85Decode /FlateDecode]", &ascii85(&once));
    let twice = ascii85(&ascii85(&once));
    check_bomb("text twice", "/Filter [/ASCII85Decode/ASCII85Decode %x\n/FlateDecode]", &twice);
    check_bomb(
        "a name in other letters",
        "/Filter [/ASCII#385Decode /Flat#65Decode]",
        &ascii85(&once),
    );
    let mut headless = once.clone();
    headless[0] = 0;
    check_bomb("a broken header", "/Filter /FlateDecode", &headless);
    check_bomb("inside", "/Filter [/FlateDecode /FlateDecode]", &packed(&headless));
    check_bomb("a dictionary", "/Filter /FlateDecode", &[&[0x78, 0xBB][..], &once[2..]].concat());
    check_bomb("the old way", "/Filter /LZWDecode", &lzw(&much, true));
    let late = "/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>";
    check_bomb("the old way, late", late, &lzw(&much, false));
    check_bomb("old and new", "/Filter [/FlateDecode /LZWDecode]", &packed(&lzw(&much, true)));
}

#[test]
fn f_099_a_bomb_is_found_wherever_its_data_starts() {
    let content = packed(&vec![b' '; 8 * 1024 * 1024]);
    for end in ["\r\n", "\r", " \n", "\t \r\n"] {
        let mut bomb = format!("<< /Filter /FlateDecode /Length {} >>\nstream{end}", content.len())
            .into_bytes();
        bomb.extend(&content);
        bomb.extend(b"\nendstream");
        let limits = Limits { max_unpacked_bytes: 4 * 1024 * 1024, ..Limits::for_megabytes(50) };
        let file = pages(&[bomb], form(""));
        let read = reader("parser: pdf_text").read(&file[..], &limits, &Stop::default());
        assert!(read.unwrap_err().to_string().contains("when it is unpacked"), "{end:?}");
    }
}

#[test]
fn f_099_old_packings_are_read() {
    for (filter, content) in [
        ("/ASCII85Decode", ascii85(&written("text"))),
        ("[/ASCII85Decode /FlateDecode]", ascii85(&packed(&written("text")))),
        ("/LZWDecode", lzw(&written("text"), true)),
        ("[/ASCII85Decode /LZWDecode]", ascii85(&lzw(&written("text"), true))),
    ] {
        let file = pages(&[stream(&format!("/Filter {filter}"), &content)], form(""));
        check("parser: pdf_text", &file, json!([{ "page": 1, "text": "text" }]));
    }
}

#[test]
fn f_099_packings_around_each_other_are_bounded() {
    let filter = "/Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode]";
    let content = (0..4).fold(written("text"), |content, _| packed(&content));
    let file = pages(&[stream(filter, &content)], form(""));
    check_error("parser: pdf_text", &file, "FILE_LIMIT", "3 packings around each other");
}

#[test]
fn f_099_numbers_that_ask_for_memory_are_refused() {
    for (dict, what) in [
        ("/DecodeParms << /Predictor 12 /Columns 4000000000 >>", "columns"),
        ("/DecodeParms << /Predictor 12 /Col#75mns %x\n+4000000000 >>", "columns"),
        ("/DecodeParms << /Predictor 12 /Colors 99999 >>", "colours"),
        ("/DecodeParms << /Predictor 12 /BitsPerComponent 99999 >>", "bits"),
        ("/W [1 99999999999 2]", "width"),
        ("/Index [0 4 5 4000000000]", "objects"),
        ("/Size 99999999999999999999999", "objects"),
    ] {
        let content = packed(&written("text"));
        let file = pages(&[stream(&format!("/Filter /FlateDecode {dict}"), &content)], form(""));
        check_error("parser: pdf_text", &file, "FILE_LIMIT", what);
    }
}

/// A document whose table names the same objects again and again.
fn named_often(objects: &[Vec<u8>], again: usize, times: usize) -> Vec<u8> {
    let once = document(objects);
    let find = |what: &[u8]| memchr::memmem::find(&once, what).unwrap();
    let (at, trailer) = (find(format!("\n{again} 0 obj").as_bytes()) + 1, find(b"trailer"));
    let rows = format!("{} {times}\n{}", 100, format!("{at:010} 00000 n \n").repeat(times));
    [&once[..trailer], rows.as_bytes(), &once[trailer..]].concat()
}

#[test]
fn f_099_what_is_named_again_and_again_is_counted_again() {
    let limits = Limits { max_unpacked_bytes: 1024 * 1024, ..Limits::for_megabytes(1) };
    let object = "x ".repeat(100_000);
    let inside = format!("9 0 {object}");
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents [4 0 R 4 0 R 4 0 R 4 0 R 4 0 R 4 0 R] >>".to_vec(),
        stream("", " ".repeat(200_000).as_bytes()),
        stream("/Type /ObjStm /N 1 /First 4", inside.as_bytes()),
    ];
    let reader = reader("parser: pdf_text");
    let refused = |file: &[u8], place: &str| {
        let message = reader.read(file, &limits, &Stop::default()).unwrap_err().to_string();
        assert!(message.contains("1048576 bytes when it is unpacked"), "{message}");
        assert!(message.contains(place), "{message}");
    };
    refused(&document(&objects), "at page 1");
    refused(&named_often(&objects, 4, 50), "at the table of its objects");
    refused(&named_often(&objects, 5, 50), "at the table of its objects");
}

#[test]
fn f_099_text_that_a_form_draws_too_often_is_bounded() {
    let limits = Limits { max_kept_bytes: 100_000, ..Limits::for_megabytes(1) };
    let text = "x".repeat(2_000);
    let often = pages(
        &[stream("", "/X Do ".repeat(1_000).as_bytes())],
        form(&format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET")),
    );
    let error = reader("parser: pdf_text").read(&often[..], &limits, &Stop::default()).unwrap_err();
    assert!(error.to_string().contains("100000 bytes of text at page 1"), "{error}");
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
