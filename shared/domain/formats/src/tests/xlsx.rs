use std::io::{Cursor, Write};
use std::sync::LazyLock;

use countersign_failure::Failure;
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook};
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{check, check_error, read, reader};
use crate::{Limits, Stop};

pub(super) fn workbook() -> Vec<u8> {
    static MADE: LazyLock<Vec<u8>> = LazyLock::new(made);
    MADE.clone()
}

fn made() -> Vec<u8> {
    let mut book = Workbook::new();
    let day = Format::new().set_num_format("yyyy-mm-dd");
    let moment = Format::new().set_num_format("yyyy-mm-dd hh:mm");
    let sheet = book.add_worksheet().set_name("Grants").unwrap();
    for (column, name) in ["Name", "Amount", "Day", "Moment", "Yes", "Total"].iter().enumerate() {
        sheet.write(0, column as u16, *name).unwrap();
    }
    sheet.write(1, 0, "=SUM(A1) Ünïcode").unwrap();
    sheet.write(1, 1, 1200.5).unwrap();
    let at = ExcelDateTime::from_ymd(2021, 12, 31).unwrap();
    sheet.write_with_format(1, 2, &at, &day).unwrap();
    let at = ExcelDateTime::from_ymd(2021, 12, 31).unwrap().and_hms(10, 20, 30).unwrap();
    sheet.write_with_format(1, 3, &at, &moment).unwrap();
    sheet.write(1, 4, true).unwrap();
    sheet.write(1, 5, Formula::new("=B2*2").set_result("2401")).unwrap();
    sheet.write(3, 0, "second").unwrap();
    sheet.write(3, 1, 7).unwrap();
    let other = book.add_worksheet().set_name("Notes").unwrap();
    other.write(4, 1, "key").unwrap();
    other.write(5, 1, 42).unwrap();
    book.save_to_buffer().unwrap()
}

#[test]
fn f_099_xlsx_cells_keep_their_types() {
    check(
        "parser: xlsx",
        &workbook(),
        json!([
            { "Name": "=SUM(A1) Ünïcode", "Amount": 1200.5, "Day": "2021-12-31", "Moment": "2021-12-31T10:20:30", "Yes": true, "Total": 2401 },
            { "Name": "second", "Amount": 7, "Day": null, "Moment": null, "Yes": null, "Total": null },
        ]),
    );
}

/// The workbook with another text in its sheets.
fn changed(book: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut read = ZipArchive::new(Cursor::new(book)).unwrap();
    let mut written = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..read.len() {
        let mut part = read.by_index(index).unwrap();
        let name = part.name().unwrap().to_string();
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut part, &mut text).unwrap();
        let text = match String::from_utf8(text) {
            Ok(text) => text.replace(from, to).into_bytes(),
            Err(other) => other.into_bytes(),
        };
        written.start_file(name, SimpleFileOptions::default()).unwrap();
        written.write_all(&text).unwrap();
    }
    written.finish().unwrap().into_inner()
}

#[test]
fn f_311_a_formula_without_a_result_and_the_noise_of_fractions() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "Pay").unwrap();
    sheet.write(1, 0, 0.1 + 0.2).unwrap();
    sheet.write(2, 0, Formula::new("=A2*2").set_result("12321")).unwrap();
    sheet.write(3, 0, 1_234_567.89).unwrap();
    // As libraries write it that calculate nothing.
    let book = changed(&book.save_to_buffer().unwrap(), "<v>12321</v>", "");
    let endpoint = "parser: xlsx
fields:
  - { field: pay, column: Pay, type: decimal }
";
    let found =
        check(endpoint, &book, json!([{ "pay": "0.3" }, { "pay": null }, { "pay": "1234567.89" }]));
    let messages: Vec<_> = found.warnings.iter().map(|warning| &*warning.message).collect();
    let expect = "sheet `Sheet1`, row 3: a formula without a stored result";
    assert_eq!(messages, [expect]);
    // Without mapped fields it is said too, and the cell is empty.
    let found = check(
        "parser: xlsx",
        &book,
        json!([{ "Pay": 0.3 }, { "Pay": null }, { "Pay": 1_234_567.89 }]),
    );
    assert_eq!(found.warnings[0].message, expect);
}

#[test]
fn f_311_a_formula_whose_result_is_an_empty_text_is_an_empty_cell() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "Pay").unwrap();
    sheet.write(1, 0, 12).unwrap();
    for row in 2..20 {
        sheet.write(row, 0, Formula::new("=IF(B1=\"\",\"\",B1)").set_result("nothing")).unwrap();
    }
    let book = changed(&book.save_to_buffer().unwrap(), "<v>nothing</v>", "<v></v>");
    let found = check("parser: xlsx", &book, json!([{ "Pay": 12 }]));
    assert_eq!(found.warnings, []);
}

#[test]
fn f_311_a_number_of_many_digits_is_not_rounded() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "Pay").unwrap();
    for (row, number) in [1_234_567_890_123_456.0, 99_999_999_999_999.98, 1_234_567_890.123_456]
        .into_iter()
        .enumerate()
    {
        sheet.write(u32::try_from(row).unwrap() + 1, 0, number).unwrap();
    }
    let book = book.save_to_buffer().unwrap();
    let endpoint = "parser: xlsx
fields:
  - { field: pay, column: Pay, type: decimal }
";
    let found = check(
        endpoint,
        &book,
        json!([{ "pay": "1234567890123456" }, { "pay": null }, { "pay": null }]),
    );
    assert!(
        found.warnings[1]
            .message
            .ends_with("as a number it keeps 15 of its digits; a text would keep all")
    );
    assert_eq!(found.warnings.len(), 2);
}

#[test]
fn f_099_xlsx_columns_become_typed_fields() {
    let endpoint = "parser: xlsx
sheet: 1
fields:
  - { field: name, column: [Title, name], type: string }
  - { field: amount, column: 2, type: integer }
  - { field: amount_text, column: AMOUNT, type: string }
  - { field: day, column: Moment, type: date }
";
    let found = check(
        endpoint,
        &workbook(),
        json!([
            { "name": "=SUM(A1) Ünïcode", "amount": null, "amount_text": "1200.5", "day": "2021-12-31T10:20:30" },
            { "name": "second", "amount": 7, "amount_text": "7", "day": null },
        ]),
    );
    assert_eq!(found.warnings[0].message, "sheet `Grants`, row 2: `1200.5` is not of type integer");
}

#[test]
fn f_311_a_workbook_says_which_sheets_were_not_read() {
    let told = |rules: &str| {
        let found = read(rules, &workbook()).unwrap();
        found.warnings.into_iter().map(|warning| warning.message).collect::<Vec<_>>()
    };
    let said = "only the sheet `Grants` was read, and there is something in others: `Notes`; `sheet` in the connector chooses one";
    assert_eq!(told("parser: xlsx"), [said]);
    assert_eq!(told("parser: xlsx\nsheet: 1"), [] as [String; 0], "it is chosen");
    let mut book = Workbook::new();
    book.add_worksheet().write(0, 0, "a").unwrap().write(1, 0, 1).unwrap();
    book.add_worksheet();
    book.add_worksheet().set_hidden(true).write(0, 0, "list").unwrap();
    let file = book.save_to_buffer().unwrap();
    assert_eq!(read("parser: xlsx", &file).unwrap().warnings, [], "empty and hidden ones");
    let mut book = Workbook::new();
    book.add_worksheet();
    book.add_worksheet().write(0, 0, Formula::new("=1+1")).unwrap();
    let file = book.save_to_buffer().unwrap();
    let said = "the sheet `Sheet1` is empty; only the sheet `Sheet1` was read, and there is something in others: `Sheet2`";
    check_error("parser: xlsx", &file, "FILE_WRONG_KIND", said);
}

#[test]
fn f_099_xlsx_sheets_are_chosen_by_name_or_number() {
    let expect = json!([{ "column_1": null, "key": 42 }]);
    check("parser: xlsx\nsheet: Notes\nheader_row: 5", &workbook(), expect.clone());
    check("parser: xlsx\nsheet: 2\nheader_row: 5", &workbook(), expect);
    check_error(
        "parser: xlsx\nsheet: Nope",
        &workbook(),
        "FILE_WRONG_KIND",
        "no sheet `Nope`; its sheets are `Grants`, `Notes`",
    );
    check_error("parser: xlsx\nsheet: 9", &workbook(), "FILE_WRONG_KIND", "no sheet 9");
    check_error("parser: xlsx\nsheet: Notes", &workbook(), "FILE_WRONG_KIND", "row 1");
    check_error(
        "parser: xlsx\nfields: [{ field: a, column: B7 }]",
        &workbook(),
        "FILE_WRONG_KIND",
        "`Name`, `Amount`",
    );
}

#[test]
fn f_099_what_is_no_workbook_is_said_to_be_none() {
    check_error("parser: xlsx", b"a,b\n1,2\n", "FILE_MALFORMED", "it starts with `a,b.1,2.`");
    check_error("parser: xlsx", &[0xD0, 0xCF, 0x11, 0xE0, 0, 0], "FILE_MALFORMED", "old .xls");
    let whole = workbook();
    check_error("parser: xlsx", &whole[..whole.len() / 2], "FILE_TRUNCATED", "directory");
    let mut empty = Vec::new();
    ZipWriter::new(Cursor::new(&mut empty)).finish().unwrap();
    check_error("parser: xlsx", &empty, "FILE_MALFORMED", "the workbook");
}

/// The workbook with one part replaced.
pub(super) fn with_part(name: &str, write: impl FnMut(&mut dyn Write)) -> Vec<u8> {
    with_part_of(&workbook(), name, write)
}

fn with_part_of(book: &[u8], name: &str, mut write: impl FnMut(&mut dyn Write)) -> Vec<u8> {
    let mut source = ZipArchive::new(Cursor::new(book)).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..source.len() {
        let part = source.by_index_raw(index).unwrap();
        if part.name().unwrap() != name {
            out.raw_copy_file(part).unwrap();
        }
    }
    out.start_file(name, SimpleFileOptions::default()).unwrap();
    write(&mut out);
    out.finish().unwrap().into_inner()
}

#[test]
fn f_099_a_workbook_that_is_a_bomb_is_refused_before_it_is_unpacked() {
    let size = 8 * 1024 * 1024_u32;
    let spaces = vec![b' '; size as usize];
    let bomb = with_part("xl/sharedStrings.xml", |out| out.write_all(&spaces).unwrap());
    assert!(bomb.len() < 64 * 1024, "{}", bomb.len());
    let limits = Limits { max_unpacked_bytes: 4 * 1024 * 1024, ..Limits::for_megabytes(50) };
    let refused = |bytes: &[u8]| {
        let error = reader("parser: xlsx").read(bytes, &limits, &Stop::default()).unwrap_err();
        (error.code(), error.to_string())
    };
    let (code, message) = refused(&bomb);
    assert_eq!(code, "FILE_LIMIT", "{message}");
    assert!(message.contains("unpacked at part `xl/sharedStrings.xml`"), "{message}");
    // The same with a directory that lies about the size.
    let mut lying = bomb;
    let is_size = |four: &[u8]| four == size.to_le_bytes();
    let places: Vec<usize> =
        lying.windows(4).enumerate().filter(|(_, four)| is_size(four)).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        lying[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
    }
    let (code, message) = refused(&lying);
    assert!(code == "FILE_LIMIT" || code == "FILE_MALFORMED", "{message}");
}

#[test]
fn f_099_a_workbook_with_far_cells_costs_what_it_holds() {
    let sheet = |cells: &str| {
        let xml = format!(
            "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><dimension ref='A1:XFD1048576'/><sheetData>{cells}</sheetData></worksheet>"
        );
        with_part("xl/worksheets/sheet1.xml", |out| out.write_all(xml.as_bytes()).unwrap())
    };
    let far = sheet(
        "<row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>2</v></c></row>",
    );
    let found =
        read("parser: xlsx\nheader: false\nfields: [{ field: a, column: 16384 }]", &far).unwrap();
    assert_eq!(found.records[1]["a"], 2);
    let back =
        sheet("<row r='5'><c r='A5'><v>1</v></c></row><row r='2'><c r='A2'><v>2</v></c></row>");
    check_error("parser: xlsx\nheader: false", &back, "FILE_MALFORMED", "not in order");
    let many: String =
        (1..=2_000).map(|n| format!("<row r='{n}'><c r='A{n}'><v>1</v></c></row>")).collect();
    let limits = Limits { max_records: 1_000, ..Limits::for_megabytes(50) };
    let error =
        reader("parser: xlsx").read(&sheet(&many)[..], &limits, &Stop::default()).unwrap_err();
    assert!(error.to_string().contains("1000 records at sheet `Grants`, row 1002"), "{error}");
}

#[test]
fn f_099_a_workbook_that_nobody_waits_for_is_left() {
    let stop = Stop::default();
    stop.now();
    let error =
        reader("parser: xlsx").read(&workbook()[..], &Limits::for_megabytes(1), &stop).unwrap_err();
    assert_eq!(error, crate::FormatError::Time);
}

#[test]
fn f_099_one_text_in_many_cells_is_not_copied_beyond_the_bounds() {
    let strings = |length: usize| {
        let text = "x".repeat(length);
        format!(
            "<sst xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><si><t>{text}</t></si></sst>"
        )
    };
    let check = |length: usize, part: &str| {
        let book = with_part("xl/sharedStrings.xml", |out| {
            out.write_all(strings(length).as_bytes()).unwrap();
        });
        let cells = "<c t='s'><v>0</v></c>".repeat(16_000);
        let sheet = format!(
            "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData><row r='1'>{cells}</row></sheetData></worksheet>"
        );
        let book = with_part_of(&book, "xl/worksheets/sheet1.xml", |out| {
            out.write_all(sheet.as_bytes()).unwrap();
        });
        check_error("parser: xlsx\nheader: false", &book, "FILE_LIMIT", part);
    };
    check(1_000_000, "4194304 bytes in one row at sheet `Grants`, row 1");
    check(2_000_000, "1048576 bytes in one value");
}

#[test]
fn f_311_rows_that_the_sheet_hides_are_read_and_said() {
    let book = |hidden: &[u32]| {
        let mut book = Workbook::new();
        book.add_worksheet().set_name("First").unwrap().write(0, 0, "x").unwrap();
        let sheet = book.add_worksheet().set_name("Sums & more").unwrap();
        sheet.write_column(0, 0, ["Sum", "1", "2", "3"]).unwrap();
        for row in hidden {
            sheet.set_row_hidden(*row).unwrap();
        }
        book.save_to_buffer().unwrap()
    };
    let said = |endpoint: &str, hidden: &[u32]| {
        let found = read(endpoint, &book(hidden)).unwrap();
        found.warnings.into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    let endpoint = "parser: xlsx\nsheet: Sums & more";
    let message = "sheet `Sums & more`: 2 rows are hidden there, by a filter or by hand, and read like others";
    assert_eq!(said(endpoint, &[1, 3]), [message]);
    assert_eq!(said(endpoint, &[]), [] as [String; 0]);
    assert_eq!(said("parser: xlsx\nsheet: First", &[1]), [] as [String; 0], "of another sheet");
}
