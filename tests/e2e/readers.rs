//! Files that are built to keep their reader busy: whoever sends one harms nobody else (ADR 18).

use serde_json::{Value, json};

use crate::case::{Person, person};
use crate::filings::upload;

const PAPERS: &str = "
id: papers
name: Papers
type: file_parser
version: 1.0.0
description: Papers, page by page.
connection: {source: upload, accepted_formats: [pdf]}
endpoints:
  read:
    description: Their text.
    parser: pdf_text
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

/// Somebody with an uploaded PDF; gives its id.
async fn with(name: &str, file: Vec<u8>) -> (Person, String) {
    let one = person(name, &["global:analyst"]).await;
    one.post("/connectors", &json!({ "yaml": PAPERS })).await;
    let mut ids = upload(&one, vec![("paper.pdf".to_owned(), file)]).await;
    (one, ids.remove(0))
}

async fn tried((one, id): &(Person, String)) -> Value {
    let body = json!({ "endpoint": "read", "inputs": { "source": id } });
    one.post("/connectors/papers/test", &body).await
}

#[tokio::test]
async fn f_099_one_persons_pdf_that_never_ends_holds_up_nobody_else() {
    let endless = pdf(&"/X Do ".repeat(90_000), &"0 0 m 1 1 l S ".repeat(20_000));
    let ana = with("ana", endless).await;
    let bob = with("bob", pdf("BT /F1 12 Tf 72 720 Td (of bob) Tj ET", "")).await;
    let said = tried(&ana).await;
    assert_eq!(said["error"]["code"], "FILE_TIME", "{said:#}");
    // The same instances serve the next: nothing of it is left behind in them.
    for _ in 0..3 {
        let said = tried(&bob).await;
        assert_eq!(said["output"]["results"][0]["text"], "of bob", "{said:#}");
    }
}
