//! Small files that would become large, deep or endless: each is refused for what it is, within a time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use countersign_failure::Failure as _;

use super::{pdf, reader, xlsx};
use crate::{Limits, Stop};

/// So many are tried; `docs/assurance.md` says so.
const HELD: usize = 90;
/// No bomb is larger.
const LARGEST: usize = 1024 * 1024;
/// What a file may become.
const UNPACKED: u64 = 4 * 1024 * 1024;
/// What every packed bomb becomes.
const MUCH: usize = 8 * 1024 * 1024;

/// What a bomb is, who reads it, and its bytes.
type Bomb = (String, &'static str, Vec<u8>);

/// A page whose content is `dict` and `data`, which starts after `end`.
fn page(dict: &str, end: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<< {dict} /Length {} >>\nstream{end}", data.len());
    let content = [head.as_bytes(), data, b"\nendstream"].concat();
    pdf::pages(&[content], pdf::form(""))
}

/// Streams of a PDF in every packing, in other words for it, at every place where data may start.
fn streams() -> Vec<Bomb> {
    let much = vec![b' '; MUCH];
    let once = pdf::packed(&much);
    let packings = [
        ("/Filter /FlateDecode", once.clone()),
        ("/Filter [/FlateDecode]", once.clone()),
        ("/Filter /Flat#65Decode", once.clone()),
        ("/Filter [/FlateDecode /FlateDecode]", pdf::packed(&once)),
        ("/Filter [/ASCII85Decode /FlateDecode]", pdf::ascii85(&once)),
        ("/Filter [/ASCII#385Decode %x\n/FlateDecode]", pdf::ascii85(&once)),
        ("/Filter /LZWDecode", pdf::lzw(&much, true)),
        ("/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>", pdf::lzw(&much, false)),
        ("/Filter [/FlateDecode /LZWDecode]", pdf::packed(&pdf::lzw(&much, true))),
    ];
    let mut bombs = Vec::new();
    for (dict, data) in &packings {
        for end in ["\n", "\r\n", "\r", " \n"] {
            bombs.push((format!("{dict} {end:?}"), "parser: pdf_text", page(dict, end, data)));
        }
    }
    bombs
}

/// Numbers in a PDF that ask for memory.
fn numbers() -> Vec<Bomb> {
    let dicts = [
        "/DecodeParms << /Predictor 12 /Columns 4000000000 >>",
        "/DecodeParms << /Predictor 12 /Columns 99999999999999999999 >>",
        "/DecodeParms << /Predictor 12 /Col#75mns %x\n+4000000000 >>",
        "/DecodeParms << /Predictor 12 /Colors 99999 >>",
        "/DecodeParms << /Predictor 12 /BitsPerComponent 99999 >>",
        "/W [1 99999999999 2]",
        "/Index [0 4 5 4000000000]",
        "/Size 99999999999999999999999",
    ];
    let content = pdf::packed(b"BT (x) Tj ET");
    let of = |dict: &str| {
        let dict = format!("/Filter /FlateDecode {dict}");
        (dict.clone(), "parser: pdf_text", page(&dict, "\n", &content))
    };
    dicts.map(of).to_vec()
}

/// Parts of a workbook that are little when packed.
fn parts() -> Vec<Bomb> {
    let mut bombs = Vec::new();
    for part in
        ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml"]
    {
        for filling in ["  ", "<a>", "<a/>", "&#32;"] {
            let much = filling.repeat(MUCH / filling.len());
            let book = xlsx::with_part(part, |out| out.write_all(much.as_bytes()).unwrap());
            bombs.push((format!("{part} of {filling:?}"), "parser: xlsx", book));
        }
    }
    bombs
}

/// Texts that nest deeper than anybody writes.
fn nested() -> Vec<Bomb> {
    let mut bombs = Vec::new();
    for depth in [1_000, 10_000, 50_000] {
        for open in ["[", "{\"a\":", "[{\"a\":", "[[{\"b\":["] {
            let text = open.repeat(depth);
            bombs.push((format!("{depth} times {open}"), "parser: json", text.into_bytes()));
        }
        for open in ["<div>", "<b>", "<ul><li>", "<table><tr><td>", "<svg><g>", "<font><i>"] {
            let text = open.repeat(depth);
            bombs.push((format!("{depth} times {open}"), "parser: html_table", text.into_bytes()));
        }
    }
    bombs
}

#[test]
fn f_099_every_bomb_is_refused_within_a_time() {
    let all = [streams(), numbers(), parts(), nested()].concat();
    let bombs: BTreeMap<Vec<u8>, (String, &str)> =
        all.into_iter().map(|(what, parser, bytes)| (bytes, (what, parser))).collect();
    let limits = Limits { max_unpacked_bytes: UNPACKED, ..Limits::for_megabytes(50) };
    for (bytes, (what, parser)) in &bombs {
        assert!(bytes.len() < LARGEST, "{what}: {} bytes", bytes.len());
        let began = Instant::now();
        let read = reader(parser).read(&bytes[..], &limits, &Stop::default());
        let error = read.err().unwrap_or_else(|| panic!("{what} was read"));
        assert!(["FILE_LIMIT", "FILE_MALFORMED"].contains(&error.code()), "{what}: {error}");
        assert!(began.elapsed() < Duration::from_secs(30), "{what}: {:?}", began.elapsed());
    }
    assert_eq!(bombs.len(), HELD);
}
