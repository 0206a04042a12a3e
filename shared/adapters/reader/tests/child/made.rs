//! Documents, well made and hostile.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rust_xlsxwriter::Workbook;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A PDF of these objects, numbered from 1; the first is the catalogue.
pub(crate) fn pdf_of(objects: &[Vec<u8>]) -> Vec<u8> {
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
    let size = objects.len() + 1;
    out.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n").into_bytes(),
    );
    out
}

pub(crate) fn stream(dict: &str, content: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dict} /Length {} >>\nstream\n", content.len()).into_bytes();
    out.extend(content);
    out.extend(b"\nendstream");
    out
}

pub(crate) fn text(text: &str) -> Vec<u8> {
    format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET").into_bytes()
}

/// A PDF of one page with this content and a form `/X`.
pub(crate) fn page(content: Vec<u8>, form: &[u8]) -> Vec<u8> {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> >>",
        form,
    );
    pdf_of(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 1 /Kids [5 0 R] /MediaBox [0 0 612 792] >>".to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
        form,
        b"<< /Type /Page /Parent 2 0 R /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> >> >>".to_vec(),
        content,
    ])
}

pub(crate) fn pdf() -> Vec<u8> {
    page(stream("", &text("Grant of 240,000 to Northshore")), b"")
}

/// A PDF whose page draws a long form many thousand times: within every bound of counting, and busy for hours.
pub(crate) fn endless_pdf() -> Vec<u8> {
    page(stream("", "/X Do ".repeat(90_000).as_bytes()), "0 0 m 1 1 l S ".repeat(20_000).as_bytes())
}

pub(crate) fn workbook() -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (row, (name, amount)) in [("Mill", 1200.5), ("Weir", 0.1)].into_iter().enumerate() {
        sheet.write(row as u32 + 1, 0, name).unwrap();
        sheet.write(row as u32 + 1, 1, amount).unwrap();
    }
    sheet.write(0, 0, "Name").unwrap();
    sheet.write(0, 1, "Amount").unwrap();
    book.save_to_buffer().unwrap()
}

/// A workbook with one part replaced.
pub(crate) fn with_part(book: &[u8], name: &str, content: &[u8]) -> Vec<u8> {
    let mut source = ZipArchive::new(Cursor::new(book)).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..source.len() {
        let part = source.by_index_raw(index).unwrap();
        if part.name().unwrap() != name {
            out.raw_copy_file(part).unwrap();
        }
    }
    out.start_file(name, SimpleFileOptions::default()).unwrap();
    out.write_all(content).unwrap();
    out.finish().unwrap().into_inner()
}

pub(crate) const XML: &str = "root_element: a\nlist_element: b\nfields:\n  - { field: num, xpath: '@n', type: integer }\n  - { field: day, xpath: '@d', type: date }\ncontext_fields:\n  - { field: title, xpath: t, type: string }\n";

pub(crate) fn xml() -> Vec<u8> {
    b"<a><t>All grants</t><b n='1' d='2021-12-31'/><b n='x'/><b n='3'/></a>".to_vec()
}
