//! Filings as they are, and files as they should not be.

mod warnings;

use std::io::Read;

use serde_json::{Value, json};

use super::{Extraction, Limits, XmlError, extract};
use crate::model::{Operation, ParseRules};

const CONNECTOR: &str = include_str!("../../../../../library/connectors/irs-990-xml.yaml");

macro_rules! filing {
    ($name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../library/filings/",
            $name,
            ".xml"
        )) as &[u8]
    };
}

// After the macro, which it uses.
mod properties;

fn rules(endpoint: &str) -> ParseRules {
    let definition = crate::parse(CONNECTOR).definition.unwrap();
    match &definition.endpoints[endpoint].operation {
        Operation::ParseXml(rules) => rules.clone(),
        _ => panic!("a file parser"),
    }
}

fn read(endpoint: &str, bytes: &[u8]) -> Result<Extraction, XmlError> {
    extract(&rules(endpoint), bytes, &Limits::for_megabytes(50))
}

/// Checks fields of the record at `index`.
#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn check(endpoint: &str, bytes: &[u8], index: usize, expect: Value) {
    let found = read(endpoint, bytes).unwrap();
    let record = found.records.get(index).unwrap();
    for (key, value) in expect.as_object().unwrap() {
        assert_eq!(record.get(key), Some(value), "{key} of {record:#?}");
    }
    assert_eq!(found.warnings, []);
}

fn check_error(bytes: &[u8], expect: &str) {
    let error = read("parse_990_officers", bytes).unwrap_err();
    assert_eq!(error.to_string(), expect);
}

#[test]
fn f_127_a_990_gives_the_filer_and_never_the_preparer() {
    check(
        "parse_990",
        filing!("harborlight-2021-990"),
        0,
        json!({
            "organization_name": "HARBORLIGHT COMMUNITY FOUNDATION", "ein": "071204518", "tax_year": 2021,
            "form_type": "990", "total_revenue": 8_412_330, "total_expenses": 7_120_044, "total_assets": 41_233_907,
            "gross_receipts": 8_580_576, "period_end": "2021-12-31", "state": "ME",
            "preparer_firm": "LEDGERWOOD & PIKE LLP",
        }),
    );
}

#[test]
fn f_127_a_name_on_two_lines_is_one_name() {
    let name = "NORTHSHORE FOOD ALLIANCE OF THE ELLERY COAST INC";
    check("parse_990", filing!("northshore-2021-990"), 0, json!({ "organization_name": name }));
    check(
        "parse_990_officers",
        filing!("northshore-2021-990"),
        0,
        json!({ "organization_name": name }),
    );
}

#[test]
fn f_127_every_form_has_its_totals() {
    let revenue = json!({ "form_type": "990EZ", "total_revenue": 148_210, "total_expenses": 139_004, "total_assets": 61_220 });
    check("parse_990", filing!("willow-creek-2021-990ez"), 0, revenue);
    let foundation = json!({ "form_type": "990PF", "total_revenue": 1_204_400, "total_expenses": 980_120, "total_assets": 22_450_331 });
    check("parse_990", filing!("quillfeather-2021-990pf"), 0, foundation);
    let old = json!({ "organization_name": "ALDERMOOR HISTORICAL SOCIETY", "tax_year": 2012, "form_type": "990",
        "total_revenue": 402_118, "total_expenses": 377_540, "total_assets": 1_980_220, "period_begin": "2012-01-01" });
    check("parse_990", filing!("aldermoor-2012-990"), 0, old);
    let old_ez = json!({ "organization_name": "WILLOW CREEK LITERACY PROJECT", "total_revenue": 71_250, "total_assets": 20_110 });
    check("parse_990", filing!("willow-creek-2011-990ez"), 0, old_ez);
}

#[test]
fn f_128_officers_of_a_990_know_their_organisation() {
    check(
        "parse_990_officers",
        filing!("harborlight-2021-990"),
        0,
        json!({
            "name": "MARGARET E THORNQUIST", "title": "PRESIDENT & CEO", "hours_per_week": 40, "compensation": 214_500,
            "organization_name": "HARBORLIGHT COMMUNITY FOUNDATION", "ein": "071204518", "tax_year": 2021,
            "is_officer": true, "is_key_employee": null,
        }),
    );
}

#[test]
fn f_128_every_form_and_age_has_officers() {
    for (bytes, count, first) in [
        (filing!("harborlight-2021-990"), 9, "MARGARET E THORNQUIST"),
        (filing!("harborlight-2022-990"), 8, "MARGARET ELLEN THORNQUIST"),
        (filing!("willow-creek-2021-990ez"), 5, "Margaret Thornquist"),
        (filing!("northshore-2021-990"), 7, "DES OKAFOR-LINDQUIST"),
        (filing!("quillfeather-2021-990pf"), 4, "TOBIAS J QUILLFEATHER"),
        (filing!("st-brannoc-2021-990"), 132, "GIDEON STAVELEY-HART MD"),
        (filing!("tidewater-2022-990ez"), 4, "ARABELLA M QUILLFEATHER"),
        (filing!("aldermoor-2012-990"), 5, "M E THORNQUIST"),
        (filing!("meridian-2020-990"), 5, "CONSTANCE A YARWOOD"),
        (filing!("copperleaf-2020-990ez"), 3, "RENÉE DUFRESNE-ACHTERBERG"),
        (filing!("ostrom-vance-2022-990pf"), 3, "TED OSTROM"),
        (filing!("brightwater-2022-990"), 5, "PEGGY THORNQUIST"),
        (filing!("willow-creek-2011-990ez"), 3, "ODALYS B FERNCASTLE"),
        (filing!("fairhollow-2023-990"), 5, "AMARA OYELARAN PIKE"),
    ] {
        let found = read("parse_990_officers", bytes).unwrap();
        assert_eq!(found.records.len(), count, "{first}");
        assert_eq!(found.records.get(0).unwrap()["name"], first);
        for record in found.records {
            for key in ["name", "title", "organization_name", "ein"] {
                assert!(
                    record[key].as_str().is_some_and(|text| !text.is_empty()),
                    "{key} of {record:?}"
                );
            }
            assert!(
                record["hours_per_week"].is_number() && record["compensation"].is_number(),
                "{record:?}"
            );
        }
    }
}

#[test]
fn f_128_a_firm_as_trustee_has_its_name() {
    check(
        "parse_990_officers",
        filing!("quillfeather-2021-990pf"),
        3,
        json!({ "name": "OSTROM VANCE TRUST COMPANY" }),
    );
}

#[test]
fn f_129_grants_know_grantor_and_recipient() {
    let grant = json!({ "recipient_name": "NORTHSHORE FOOD ALLIANCE INC", "recipient_ein": "083340917",
        "grant_amount": 240_000, "purpose": "COLD STORAGE", "organization_name": "HARBORLIGHT COMMUNITY FOUNDATION" });
    check("parse_990_grants", filing!("harborlight-2021-990"), 1, grant);
    let foundation = json!({ "recipient_name": "HARBORLIGHT COMMUNITY FOUNDATION", "grant_amount": 350_000,
        "purpose": "GENERAL SUPPORT", "recipient_ein": null });
    check("parse_990_grants", filing!("quillfeather-2021-990pf"), 0, foundation);
    let old = json!({ "recipient_name": "WILLOW CREEK LITERACY PROJECT", "recipient_ein": "078112043", "grant_amount": 2_500 });
    check("parse_990_grants", filing!("aldermoor-2012-990"), 0, old);
    assert_eq!(
        read("parse_990_grants", filing!("tidewater-2022-990ez")).unwrap().records.len(),
        0,
        "no grants is not an error"
    );
}

#[test]
fn f_099_marks_encodings_and_prefixes_are_all_the_same() {
    assert!(filing!("tidewater-2022-990ez").starts_with(&[0xEF, 0xBB, 0xBF]));
    assert!(String::from_utf8_lossy(filing!("meridian-2020-990")).contains("<efile:Filer>"));
    assert!(std::str::from_utf8(filing!("copperleaf-2020-990ez")).is_err(), "it is ISO-8859-1");
    check("parse_990", filing!("copperleaf-2020-990ez"), 0, json!({ "city": "CÔTE-AUX-PRÉS" }));
    let text =
        std::str::from_utf8(filing!("willow-creek-2021-990ez")).unwrap().replace("utf-8", "UTF-16");
    for (mark, wide) in [
        (vec![0xFF, 0xFE], text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()),
        (vec![0xFE, 0xFF], text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        (vec![], text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        (vec![], text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
    ] {
        let bytes = [mark, wide].concat();
        check("parse_990_officers", &bytes, 0, json!({ "name": "Margaret Thornquist" }));
    }
}

#[test]
fn f_099_entities_are_the_five_and_numbers_only() {
    let document = |text: &str| {
        format!(
            "<Return><ReturnData><IRS990EZ><OfficerDirectorTrusteeEmplGrp><PersonNm>{text}</PersonNm></OfficerDirectorTrusteeEmplGrp></IRS990EZ></ReturnData></Return>"
        )
    };
    let name = |text: &str| {
        read("parse_990_officers", document(text).as_bytes())
            .map(|found| found.records.get(0).unwrap()["name"].clone())
    };
    assert_eq!(name("A &amp; B &lt;&#233;&#xE9;&gt;").unwrap(), "A & B <éé>");
    assert_eq!(name("<![CDATA[A & B]]> C").unwrap(), "A & B C");
    assert!(matches!(name("&nbsp;").unwrap_err(), XmlError::Entity { name, .. } if name == "nbsp"));
    assert!(matches!(name("&#0;").unwrap_err(), XmlError::Entity { .. }));
    assert!(matches!(name("a & b").unwrap_err(), XmlError::Malformed { .. }));
}

#[test]
fn f_099_an_xml_bomb_is_refused_before_it_is_read() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol \"lol\">\n<!ENTITY lol1 \"&lol;&lol;&lol;&lol;\">\n]>\n<Return>&lol1;</Return>";
    check_error(
        bomb.as_bytes(),
        "the file has a document type declaration at line 5, column 3, which is not accepted",
    );
    let external = "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><Return/>";
    assert!(matches!(read("parse_990", external.as_bytes()), Err(XmlError::Doctype { .. })));
}

#[test]
fn f_099_a_truncated_file_says_where_it_ends() {
    let whole = filing!("harborlight-2021-990");
    let error = read("parse_990_officers", &whole[..6_000]).unwrap_err();
    let lines = whole[..6_000].iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!(
        matches!(&error, XmlError::Truncated { place, .. } if place.line == lines as u64),
        "{error}"
    );
    assert!(error.to_string().contains("is cut off at line"), "{error}");
    let mut cut = 0;
    for end in (0..whole.len() - 10).step_by(97) {
        let error = read("parse_990_officers", &whole[..end]).unwrap_err();
        assert!(!matches!(error, XmlError::Source(_)), "{end}: {error}");
        cut += 1;
    }
    assert!(cut > 100);
}

#[test]
fn f_099_a_wrong_encoding_names_the_byte() {
    let mut bytes = filing!("willow-creek-2021-990ez").to_vec();
    let offset = 2_000;
    bytes[offset] = 0xE9;
    check_error(&bytes, "the file says it is UTF-8, but byte 2000 does not fit that encoding");
    let declared = |name: &str| format!("<?xml version=\"1.0\" encoding=\"{name}\"?><Return/>");
    check_error(
        declared("UTF-16").as_bytes(),
        "the declared encoding `UTF-16` is contradicted by the bytes, which are of one byte per character",
    );
    check_error(declared("klingon").as_bytes(), "the declared encoding `klingon` is not known");
    let mut odd = vec![0xFF, 0xFE];
    odd.extend("<Return/>".encode_utf16().flat_map(u16::to_le_bytes));
    odd.extend([0x00, 0xD8, b'<', 0]);
    assert!(matches!(read("parse_990", &odd), Err(XmlError::Encoding { .. })));
}

#[test]
fn what_is_not_a_filing_is_said_to_be_none() {
    check_error(b"", "the file is empty");
    check_error(b"  \n ", "the file is empty");
    check_error(
        b"%PDF-1.7 hello",
        "the file is not XML: at line 1, column 15 there is `%PDF-1.7 hello` where an element should start",
    );
    check_error(
        b"<rss><item/></rss>",
        "the document element is `rss`, not `Return`: this is another kind of file",
    );
    assert!(matches!(
        read("parse_990_officers", b"<Return><a></b></Return>"),
        Err(XmlError::Malformed { .. })
    ));
    assert!(matches!(
        read("parse_990_officers", b"<Return/><Return/>"),
        Err(XmlError::Malformed { .. })
    ));
    assert!(matches!(
        read("parse_990_officers", b"<Return a='1' a='2'/>"),
        Err(XmlError::Malformed { .. })
    ));
}

/// A filing of any size that is never in memory.
struct Endless {
    head: &'static [u8],
    row: &'static [u8],
    rows: usize,
    sent: usize,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let part = if self.sent == 0 { self.head } else { self.row };
        if self.sent > self.rows {
            return Ok(0);
        }
        let rest = &part[self.at..];
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        if self.at == part.len() {
            (self.at, self.sent) = (0, self.sent + 1);
        }
        Ok(count)
    }
}

#[test]
fn f_099_a_file_of_60_mb_is_refused_at_50() {
    let row = b"<Filler><Text>0123456789012345678901234567890123456789012345678901234567890123</Text></Filler>\n";
    let file = Endless {
        head: b"<Return><ReturnData>",
        row,
        rows: 60 * 1024 * 1024 / row.len(),
        sent: 0,
        at: 0,
    };
    let error =
        extract(&rules("parse_990_officers"), file, &Limits::for_megabytes(50)).unwrap_err();
    assert_eq!(error, XmlError::TooLarge { max_bytes: 50 * 1024 * 1024 });
}

#[test]
fn f_099_depth_count_and_size_are_bounded() {
    let limit = |bytes: &[u8]| match read("parse_990_officers", bytes) {
        Err(XmlError::Limit { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(limit("<Return>".repeat(200).as_bytes()), "elements inside each other");
    let attributes: String = (0..100).map(|n| format!(" a{n}='1'")).collect();
    assert_eq!(limit(format!("<Return{attributes}/>").as_bytes()), "attributes of one element");
    let long = "x".repeat(3 * 1024 * 1024);
    assert_eq!(limit(format!("<Return>{long}</Return>").as_bytes()), "bytes in one tag or text");
    assert_eq!(limit(format!("<Return a='{long}'/>").as_bytes()), "bytes in one tag or text");
    assert_eq!(
        limit(format!("<Return><!--{long}--></Return>").as_bytes()),
        "bytes in one tag or text"
    );
    let many =
        Endless { head: b"<Return><ReturnData>", row: b"<a/>", rows: 20_000, sent: 0, at: 0 };
    let few = Limits { max_elements: 10_000, ..Limits::for_megabytes(50) };
    let error = extract(&rules("parse_990"), many, &few).unwrap_err();
    assert!(matches!(&error, XmlError::Limit { what, .. } if what == "elements"), "{error}");
}

#[test]
fn f_099_repeated_values_attributes_and_nested_lists() {
    let yaml = "
id: shelf
name: Shelf
type: file_parser
version: 1.0.0
connection: { source: upload }
endpoints:
  books:
    description: books
    root_element: library
    list_element: .//book
    fields:
      - { field: id, xpath: '@id' }
      - { field: title, xpath: title }
      - { field: authors, xpath: author/@name | author, type: 'string[]' }
      - { field: prices, xpath: .//price, type: 'number[]' }
    context_fields:
      - { field: place, xpath: '@city' }
";
    let parsed = crate::parse(yaml);
    let definition = parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let Operation::ParseXml(rules) = &definition.endpoints["books"].operation else {
        panic!("xml")
    };
    let xml = b"<library city='Ellery'><book id='1'><title>A</title><author name='X'>ignored</author><author name='Y'/>\
        <price>1</price><deal><price>2.5</price></deal><book id='2'><title>Inner</title><author>Z</author></book></book><book/></library>";
    let found = extract(rules, &xml[..], &Limits::for_megabytes(1)).unwrap();
    assert_eq!(
        Value::from(found.records.into_iter().map(Value::from).collect::<Vec<_>>()),
        json!([
            { "id": "1", "title": "A", "authors": ["X", "Y"], "prices": [1, 2.5], "place": "Ellery" },
            { "id": "2", "title": "Inner", "authors": ["Z"], "prices": [], "place": "Ellery" },
        ])
    );
}
