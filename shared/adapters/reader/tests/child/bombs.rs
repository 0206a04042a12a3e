//! Documents that are built to break their reader. Each ends with an error or a bounded result, and the next is read.

use std::collections::{BTreeMap, BTreeSet};

use countersign_connector::{Operation, ScrapeRules, parse};
use countersign_failure::Failure as _;
use countersign_formats::Limits;
use countersign_pages::{Body, ExtractMode};
use countersign_reader::{Bounds, Readers};
use futures::StreamExt as _;
use tokio::time::Instant;
use url::Url;

use super::made::{self, XML, packed, page, pdf_of, stream, text, with_part};
use super::{Arriving, PATIENCE, children, read, reader};

/// So many are tried; `docs/assurance.md` says so.
const HELD: usize = 154;
const MIB: usize = 1024 * 1024;

const CSV: &str = "parser: csv";
const JSON: &str = "parser: json";
const JSONL: &str = "parser: jsonl";
const XLSX: &str = "parser: xlsx\nheader: false";
const HTML: &str = "parser: html_table";
const PDF: &str = "parser: pdf_text";

/// How a document is read.
#[derive(Debug, Clone, Copy)]
enum As {
    File(&'static str),
    Page,
    Scraped,
    Feed,
}

struct Hostile {
    name: String,
    way: As,
    bytes: Vec<u8>,
}

/// All of them, by the way they are read.
#[derive(Default)]
struct All(Vec<Hostile>);

impl All {
    fn add(&mut self, way: As, name: &str, bytes: impl Into<Vec<u8>>) {
        let kind = match way {
            As::File(XML) => "xml".to_owned(),
            As::File(endpoint) => endpoint.lines().next().unwrap_or_default().to_owned(),
            other => format!("{other:?}"),
        };
        self.0.push(Hostile { name: format!("{kind}, {name}"), way, bytes: bytes.into() });
    }

    /// A document cut off in many places, and with bytes flipped all over.
    fn damaged(&mut self, way: As, good: &[u8], cuts: usize, flips: usize) {
        for cut in 1..=cuts {
            let at = good.len() * cut / (cuts + 1);
            self.add(way, &format!("cut at {at}"), &good[..at]);
        }
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..flips {
            let mut bytes = good.to_vec();
            for _ in 0..=round * 3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] ^= 1 << (state % 8);
            }
            self.add(way, &format!("flipped {round}"), bytes);
        }
    }
}

fn laughs(root: &str) -> String {
    let levels: String = (1..10)
        .map(|n| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10)))
        .collect();
    format!("<!DOCTYPE {root} [<!ENTITY l0 'ha'>{levels}]><{root}>&l9;</{root}>")
}

fn xml(all: &mut All) {
    let way = As::File(XML);
    all.add(way, "laughs", laughs("a"));
    let long = "x".repeat(100_000);
    let quadratic = format!("<!DOCTYPE a [<!ENTITY x '{long}'>]><a>{}</a>", "&x;".repeat(10_000));
    all.add(way, "quadratic", quadratic);
    all.add(way, "external", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>");
    all.add(way, "parameter", "<!DOCTYPE a [<!ENTITY % x SYSTEM 'http://127.0.0.1/'>%x;]><a/>");
    all.add(way, "undeclared", "<a>&nope;</a>");
    all.add(way, "deep", "<a>".repeat(1_000_000));
    all.add(way, "attributes", format!("<a{}/>", " b='1'".repeat(200_000)));
    all.add(way, "long attribute", format!("<a b='{}'/>", "x".repeat(8 * MIB)));
    all.add(way, "long comment", format!("<a><!--{}--></a>", "x".repeat(8 * MIB)));
    all.add(way, "long data", format!("<a><![CDATA[{}]]></a>", "x".repeat(8 * MIB)));
    all.add(way, "long name", format!("<{}/>", "x".repeat(8 * MIB)));
    all.add(way, "many", format!("<a>{}</a>", "<b n='1'/>".repeat(150_000)));
    all.add(way, "unknown encoding", "<?xml version='1.0' encoding='utf-7'?><a/>");
    all.add(way, "odd bytes", [&b"\xFF\xFE<\0a\0>"[..], &[0xD8; 5001]].concat());
    all.add(way, "nothing but zeros", vec![0; MIB]);
    all.damaged(way, &made::xml(), 3, 3);
}

fn values(all: &mut All) {
    for (name, open) in [("lists", "["), ("objects", "{\"a\":"), ("both", "[{\"a\":")] {
        all.add(As::File(JSON), name, open.repeat(500_000));
        all.add(As::File(JSONL), name, open.repeat(500_000));
    }
    let json = As::File(JSON);
    all.add(json, "long text", format!("[\"{}\"]", "x".repeat(8 * MIB)));
    all.add(json, "long number", format!("[{{\"a\":{}}}]", "9".repeat(MIB)));
    all.add(json, "huge exponent", "[{\"a\":1e999999999}]");
    let keys: String = (0..200_000).map(|n| format!("\"k{n}\":{n},")).collect();
    all.add(json, "many keys", format!("[{{{keys}\"z\":1}}]"));
    all.add(json, "half a pair", "[{\"a\":\"\\ud800\"}]");
    all.add(json, "many empty", format!("[{}{{}}]", "{},".repeat(400_000)));
    all.add(As::File(JSONL), "one line", "x".repeat(8 * MIB));
    all.damaged(json, br#"[{"a": [1, {"b": 2}], "c": "text"}, {"a": null}]"#, 3, 3);
    let csv = As::File(CSV);
    all.add(csv, "columns", ",".repeat(500_000));
    all.add(csv, "one cell", format!("a\n\"{}", "x".repeat(8 * MIB)));
    all.add(csv, "quotes", "\"".repeat(MIB));
    all.add(csv, "rows", "1\n".repeat(2_000_000));
    all.add(csv, "wide rows", format!("a\n{}", format!("{}\n", "1,".repeat(10_000)).repeat(50)));
    all.add(csv, "odd bytes", [&b"a,b\n"[..], &[0x80; 10_000]].concat());
}

fn workbooks(all: &mut All) {
    let (way, book) = (As::File(XLSX), made::workbook());
    let spaces = vec![b' '; 8 * MIB];
    let sheet = "xl/worksheets/sheet1.xml";
    for part in
        ["xl/sharedStrings.xml", sheet, "xl/styles.xml", "xl/workbook.xml", "[Content_Types].xml"]
    {
        all.add(way, &format!("bomb in {part}"), with_part(&book, part, &spaces));
    }
    all.add(way, "a bomb beside", with_part(&book, "xl/media/more.bin", &spaces));
    let mut lying = with_part(&book, sheet, &spaces);
    let size = (8 * MIB as u32).to_le_bytes();
    let places: Vec<usize> =
        lying.windows(4).enumerate().filter(|(_, four)| *four == size).map(|(at, _)| at).collect();
    for at in places {
        lying[at..at + 4].copy_from_slice(&1_000_u32.to_le_bytes());
    }
    all.add(way, "a lying directory", lying);
    let cells = |cells: &str| {
        format!(
            "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><dimension ref='A1:XFD1048576'/><sheetData>{cells}</sheetData></worksheet>"
        )
    };
    for (name, content) in [
        ("laughs", laughs("worksheet")),
        ("deep", "<a>".repeat(200_000)),
        ("far cells", cells("<row r='1048576'><c r='XFD1048576'><v>2</v></c></row>")),
        ("cells beyond", cells("<row r='4294967295'><c r='ZZZZZZ4294967295'><v>2</v></c></row>")),
        (
            "rows that go back",
            cells("<row r='5'><c r='A5'><v>1</v></c></row><row r='2'><c r='A2'><v>2</v></c></row>"),
        ),
        ("texts that are not there", cells("<row r='1'><c r='A1' t='s'><v>99999999</v></c></row>")),
        (
            "many rows",
            cells(
                &(1..=200_000)
                    .map(|n| format!("<row r='{n}'><c><v>1</v></c></row>"))
                    .collect::<String>(),
            ),
        ),
        ("no numbers", cells("<row r='x'><c r='?'><v>NaN</v></c></row>")),
    ] {
        all.add(way, name, with_part(&book, sheet, content.as_bytes()));
    }
    let parts = (0..200).fold(book.clone(), |book, n| match n % 50 {
        0 => with_part(&book, &format!("xl/extra/{n}.xml"), b"<a/>"),
        _ => book,
    });
    all.add(way, "foreign parts", parts);
    all.add(way, "an old one", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1].repeat(100));
    all.damaged(way, &book, 4, 8);
}

fn documents(all: &mut All) {
    let way = As::File(PDF);
    let once = packed(&vec![b' '; 8 * MIB]);
    for (name, dict, content) in [
        ("bomb", "/Filter /FlateDecode", once.clone()),
        ("bomb in a bomb", "/Filter [/FlateDecode /FlateDecode]", packed(&once)),
        ("bomb by another name", "/Filter /Flat#65Decode", once.clone()),
        ("packings", "/Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode]", once.clone()),
        (
            "columns",
            "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 4000000000 >>",
            packed(b"x"),
        ),
        (
            "colours",
            "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Colors 99999 >>",
            packed(b"x"),
        ),
        (
            "bits",
            "/Filter /FlateDecode /DecodeParms << /Predictor 12 /BitsPerComponent 99999 >>",
            packed(b"x"),
        ),
        ("width", "/W [1 99999999999 2]", text("x")),
        ("objects", "/Size 99999999999999999999", text("x")),
        ("a length that lies", "/Length 99999999", text("x")),
        ("lists", "", "[".repeat(500_000).into_bytes()),
        ("dictionaries", "", "<<".repeat(250_000).into_bytes()),
        ("states", "", "q ".repeat(500_000).into_bytes()),
        ("texts", "", "BT ".repeat(300_000).into_bytes()),
        ("an unknown font", "", b"BT /Nope 12 Tf (x) Tj ET".to_vec()),
        ("operands", "", "1 ".repeat(500_000).into_bytes()),
        ("a form that draws itself", "", b"/X Do".to_vec()),
        ("a form drawn too often", "", "/X Do ".repeat(300_000).into_bytes()),
    ] {
        let form = if name == "a form that draws itself" { &b"/X Do"[..] } else { b"" };
        all.add(way, name, page(stream(dict, &content), form));
    }
    let catalogue = b"<< /Type /Catalog /Pages 2 0 R >>".to_vec();
    for (name, pages, one) in [
        (
            "a circle of pages",
            "<< /Type /Pages /Count 1 /Kids [3 0 R] /Parent 2 0 R >>",
            "<< /Type /Page /Parent 2 0 R >>",
        ),
        ("pages in themselves", "<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>", "<< >>"),
        (
            "a page count",
            "<< /Type /Pages /Count 999999999 /Kids [3 0 R] >>",
            "<< /Type /Page /Parent 2 0 R >>",
        ),
        ("no pages", "<< /Type /Pages /Count 0 /Kids [] >>", "<< >>"),
    ] {
        all.add(way, name, pdf_of(&[catalogue.clone(), pages.into(), one.into()]));
    }
    all.add(way, "deep values", pdf_of(&[catalogue.clone(), "[".repeat(200_000).into_bytes()]));
    all.add(way, "deep names", pdf_of(&[catalogue, "<</A".repeat(200_000).into_bytes()]));
    let good = String::from_utf8_lossy(&made::pdf()).into_owned();
    all.add(way, "a table that names itself", good.replace("/Root", "/Prev 9 /Root"));
    all.add(way, "a table elsewhere", good.replace("startxref\n", "startxref\n99999999999"));
    all.add(way, "protected", good.replace("/Root", "/Encrypt 3 0 R /Root"));
    all.add(way, "never ends", made::endless_pdf());
    all.damaged(way, &made::pdf(), 4, 12);
}

fn pages(all: &mut All) {
    let long = "x".repeat(20_000);
    let open: String = (0..200).map(|n| format!("<b a={n}>")).collect();
    let repeated = format!("<p>{open}{}", "</p><p>".repeat(100_000));
    for way in [As::File(HTML), As::Page, As::Scraped] {
        all.add(way, "deep", "<div>".repeat(200_000));
        all.add(way, "open markup", "<b><i>".repeat(100_000));
        all.add(way, "deep tables", "<table><tr><td>".repeat(50_000));
        all.add(way, "markup that is repeated", repeated.clone());
        all.add(way, "attributes", format!("<p{}>", " a=1".repeat(100_000)));
        all.add(way, "templates", "<template>".repeat(50_000));
        all.add(way, "drawings", "<svg><g>".repeat(50_000));
        all.add(way, "a comment without an end", format!("<p><!--{}", "-".repeat(2 * MIB)));
    }
    let table = As::File(HTML);
    all.add(
        table,
        "spans",
        format!(
            "<table>{}</table>",
            "<tr><td colspan=4000000000 rowspan=4000000000>x".repeat(2_000)
        ),
    );
    all.add(table, "too large", "<p>text".repeat(3 * MIB));
    all.add(table, "cells", format!("<table><tr>{}", "<td>".repeat(100_000)));
    let feed = As::Feed;
    let item = "<item><title>T</title></item>";
    all.add(feed, "laughs", laughs("rss"));
    all.add(feed, "deep", "<rss>".repeat(100_000));
    all.add(
        feed,
        "items",
        format!("<rss version='2.0'><channel>{}</channel></rss>", item.repeat(30_000)),
    );
    all.add(
        feed,
        "a long title",
        format!(
            "<rss version='2.0'><channel><item><title>{}</title></item></channel></rss>",
            long.repeat(50)
        ),
    );
    all.add(feed, "markup in markup", format!("<rss version='2.0'><channel><item><description>{}</description></item></channel></rss>", "&lt;b&gt;".repeat(20_000)));
    all.add(feed, "playing times", "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><item><itunes:duration>99999999999999999999:99:99</itunes:duration></item></channel></rss>");
    all.add(feed, "deep values", "{\"items\":".repeat(100_000));
    all.add(feed, "not one", vec![0xFF; MIB]);
}

fn rules() -> ScrapeRules {
    let yaml = "{id: s, name: S, type: web_scraper, version: 1.0.0, connection: {base_url: 'https://e.org'}, endpoints: \
                {e: {description: d, path: /, list: '*', fields: [{field: a, selector: 'b, td, p'}, {field: h, attr: href}], next_page: a}}}";
    match &parse(yaml).definition.unwrap().endpoints["e"].operation {
        Operation::Scrape(rules) => (**rules).clone(),
        other => panic!("{other:?}"),
    }
}

/// What came of a document: the code of its error, or nothing when it was read within the bounds.
async fn outcome(readers: &Readers, hostile: &Hostile) -> Option<&'static str> {
    let deadline = Instant::now() + PATIENCE;
    let url = Url::parse("https://example.org/").unwrap();
    let is_feed = matches!(hostile.way, As::Feed);
    let content_type = Some(if is_feed { "application/rss+xml" } else { "text/html" });
    let body = Body { url: &url, content_type, bytes: &hostile.bytes };
    match hostile.way {
        As::File(endpoint) => {
            let limits = Limits { max_unpacked_bytes: 4 * MIB as u64, ..Limits::for_megabytes(50) };
            let mut body = Arriving::of(&hostile.bytes);
            let read = readers.file(&reader(endpoint), limits, &mut body, deadline).await;
            read.inspect(|found| assert!(found.records.len() <= limits.max_records))
                .err()
                .map(|error| error.code())
        }
        As::Page => {
            let read = readers.page(&body, ExtractMode::Structured, 100_000, deadline).await;
            read.err().map(|error| error.code())
        }
        As::Scraped => {
            let read = readers.records(&rules(), &body, 1_000, deadline).await;
            read.inspect(|found| assert!(found.records.len() <= 1_000))
                .err()
                .map(|error| error.code())
        }
        As::Feed => {
            let read = readers.feed(&body, deadline).await;
            read.inspect(|items| assert!(items.items.len() <= 2_000))
                .err()
                .map(|error| error.code())
        }
    }
}

#[tokio::test]
async fn f_099_hostile_documents_end_with_an_error_or_a_bounded_result() {
    let mut all = All::default();
    xml(&mut all);
    values(&mut all);
    workbooks(&mut all);
    documents(&mut all);
    pages(&mut all);
    let distinct: BTreeSet<(String, &[u8])> =
        all.0.iter().map(|one| (format!("{:?}", one.way), &one.bytes[..])).collect();
    assert_eq!(distinct.len(), all.0.len(), "some are the same");
    assert_eq!(distinct.len(), HELD);
    // Computing time is bounded, so that a document without an end does not take the test's.
    let readers = children(Bounds { seconds: 10, ..Bounds::default() });
    let reading: Vec<_> = all
        .0
        .iter()
        .map(|one| async { (one.name.as_str(), outcome(&readers, one).await) })
        .collect();
    let mut reading = futures::stream::iter(reading).buffer_unordered(Readers::AT_ONCE);
    let mut codes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    while let Some((name, code)) = reading.next().await {
        codes.entry(code.unwrap_or("read")).or_default().push(name);
    }
    for code in ["READER_FAILED", "FILE_SOURCE", "FILE_TIME"] {
        assert_eq!(codes.get(code), None, "{codes:#?}");
    }
    // Two die of their limits: one of time, one of memory. The others are refused for what they are, and few are read.
    let killed: BTreeSet<&str> = codes["FILE_TOO_COMPLEX"].iter().copied().collect();
    let expect = BTreeSet::from(["parser: pdf_text, never ends", "parser: pdf_text, states"]);
    assert!(killed.is_superset(&expect), "{codes:#?}");
    let refused: usize =
        codes.iter().filter(|(code, _)| **code != "read").map(|(_, all)| all.len()).sum();
    assert!(refused * 2 > distinct.len(), "{codes:#?}");
    assert_eq!(read(&readers, XML, &made::xml(), PATIENCE).await.unwrap().records.len(), 3);
}
