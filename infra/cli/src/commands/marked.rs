//! Text of strangers in a request for approval: with the marks of the page, in brackets, and so that none passes for a mark, for
//! another value, or for a line of the request.

use countersign_letter::Shown;
use serde_json::Value;

use super::text;
use crate::wrap::columns_of;

/// Columns of a line, beside what it is indented by: a terminal of 80 columns wraps none, so that no text begins a line of it.
const WIDTH: usize = 72;

/// Columns of the narrowest terminal that lines are divided for.
const MIN_WIDTH: usize = 20;

/// A text on one line.
pub(super) fn line(text: &str) -> String {
    marked(text).replace('\n', "[line feed]")
}

/// A field on one line, `-` where there is none.
pub(super) fn cell(value: &Value, field: &str) -> String {
    line(&text(value, field).unwrap_or_else(|| "-".to_owned()))
}

/// A text in quotation marks: where it ends is seen, whatever it has.
pub(super) fn quoted(text: &str) -> String {
    let text = marked(text).replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    format!("\"{text}\"")
}

/// The name of a value. One that could be taken for a value, or for another name, is in quotation marks.
pub(super) fn name(name: &str) -> String {
    let divides = |c: char| c.is_whitespace() || matches!(c, '=' | ',' | ':' | '(' | ')' | '|');
    if name.is_empty() || name.contains(divides) { quoted(name) } else { line(name) }
}

/// The place of a secret, which no text from outside can look like.
pub(super) fn secret(words: &str) -> String {
    Shown::secret(words).bracketed()
}

/// A text in lines, each behind a bar.
pub(super) fn block(text: &str) -> Vec<String> {
    fitted(marked(text).split('\n').map(|line| format!("| {line}")))
}

/// A value behind `before`, which names it. One of several lines, such as the text of a mail, or of more than fits a line begins
/// below.
pub(super) fn value(before: &str, value: &str) -> Vec<String> {
    let one = if value.is_empty() { "[empty]".to_owned() } else { line(value) };
    let one = format!("{before} {one}");
    if !value.contains('\n') && is_short(&one) {
        return vec![one];
    }
    fitted([before.to_owned()]).into_iter().chain(block(value)).collect()
}

/// Whether it fits a line.
pub(super) fn is_short(line: &str) -> bool {
    fits(line, WIDTH) == line.len()
}

/// The same lines, those that do not fit divided: `+` is before what goes on, and `|+` where it is behind a bar.
pub(super) fn fitted(lines: impl IntoIterator<Item = String>) -> Vec<String> {
    lines.into_iter().flat_map(|line| divided(&line, WIDTH)).collect()
}

/// The same for a terminal of so many columns, when it has fewer than the lines take.
pub(super) fn narrowed(lines: Vec<String>, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return lines };
    lines.iter().flat_map(|line| divided(line, columns.max(MIN_WIDTH))).collect()
}

fn divided(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let more = match &line[indent..] {
        behind_bar if behind_bar.starts_with('|') => "|+",
        goes_on if goes_on.starts_with("+ ") => "+ ",
        _ => "  + ",
    };
    let more = format!("{}{more}", &line[..indent]);
    let (first, mut rest) = line.split_at(fits(line, width));
    let mut lines = vec![first.to_owned()];
    while !rest.is_empty() {
        let (now, then) = rest.split_at(fits(rest, width.saturating_sub(more.len()).max(2)));
        lines.push(format!("{more}{now}"));
        rest = then;
    }
    lines
}

/// How much of a line fits; a word stays whole where that leaves more than half.
fn fits(line: &str, width: usize) -> usize {
    let mut columns = 0;
    let beyond = line.char_indices().find(|(_, character)| {
        columns += columns_of(*character);
        columns > width
    });
    let Some((beyond, _)) = beyond else { return line.len() };
    let space = line[..beyond].rfind(' ').map(|space| space + 1);
    space.filter(|end| *end > beyond / 2).unwrap_or(beyond)
}

/// All of a text with its marks; line feeds within stay.
fn marked(text: &str) -> String {
    Shown::new(text, usize::MAX).bracketed()
}

#[cfg(test)]
mod tests {
    use super::{block, fitted, line, name, narrowed, quoted, secret, value};

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(line(text), expect, "{text:?}");
    }

    #[test]
    fn f_200_the_marks_of_the_page_are_in_brackets() {
        check("Zoë, 株式会社", "Zoë, 株式会社");
        check("pay \u{202e}gpj.exe", "pay [U+202E]gpj.exe");
        check("\u{1b}[2J\u{9b}2J\u{7f}", "[U+001B][2J[U+009B]2J[U+007F]");
        check("\u{410}cme", "[\u{410} U+0410 Cyrillic]cme");
        check("DE0\u{662}", "DE0[\u{662} U+0662]");
        check("N\u{336}o\u{336}", "N[U+0336]o[U+0336]");
        check("a\u{2215}b", "a[\u{2215} U+2215, not /]b");
        check(" Acme ", "[space]Acme[space]");
        check("a\nb\tc\r\n", "a[line feed]b[tab]c[U+000D][line feed]");
        let unseen =
            "\u{61c}\u{34f}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}\u{180b}\u{fff9}\u{e000}";
        let expect =
            "[U+061C][U+034F][U+115F][U+1160][U+3164][U+FFA0][U+2800][U+180B][U+FFF9][U+E000]";
        check(unseen, expect);
    }

    #[test]
    fn no_text_from_outside_looks_like_a_mark() {
        let words = "Bearer, then the credential's token";
        assert_eq!(secret(words), format!("[secret: {words}]"));
        check(words, words);
        check(&format!("[secret: {words}]"), &format!("[U+005B]secret: {words}]"));
        check("[U+202E] [space] [tab]", "[U+005B]U+202E] [U+005B]space] [U+005B]tab]");
        check("[A U+0410 Cyrillic]", "[U+005B]A U+0410 Cyrillic]");
        check("[/ U+2215, not /]", "[U+005B]/ U+2215, not /]");
        check("[empty] [doubtful]", "[U+005B]empty] [U+005B]doubtful]");
        check("lines[0].amount, [spaced] [A]", "lines[0].amount, [spaced] [A]");
    }

    #[test]
    fn a_text_cannot_leave_its_quotation_marks_nor_a_name_its_place() {
        assert_eq!(quoted("a\", \"b\": \\\nc"), r#""a\", \"b\": \\\nc""#);
        for plain in ["amount", "lines[0].amount", "idempotency-key", "[\"na.me\"]"] {
            assert_eq!(name(plain), plain);
        }
        assert_eq!(name("amount = 1, to"), "\"amount = 1, to\"");
        assert_eq!(name("a\u{a0}b"), "\"a\u{a0}b\"");
        assert_eq!(name(""), "\"\"");
    }

    #[test]
    fn every_line_of_a_text_is_behind_a_bar() {
        assert_eq!(block("Hi\n\npay sends 1 request:"), ["| Hi", "| ", "| pay sends 1 request:"]);
        assert_eq!(value("note =", "Hi"), ["note = Hi"]);
        assert_eq!(value("note =", ""), ["note = [empty]"]);
        assert_eq!(value("note =", "Hi\nto = b"), ["note =", "| Hi", "| to = b"]);
    }

    #[test]
    fn no_text_begins_a_line_where_the_terminal_wraps() {
        let padded = format!("{}pay sends 1 request:", "x".repeat(80));
        let lines = value("note =", &padded);
        assert_eq!(lines[0], "note =");
        assert!(lines[1..].iter().all(|line| line.starts_with('|')), "{lines:?}");
        assert_eq!(lines[2], format!("|+{}pay sends 1 request:", "x".repeat(10)));
        let words = "word ".repeat(40);
        let lines = fitted([format!("  - {}", words.trim_end())]);
        assert!(lines.iter().skip(1).all(|line| line.starts_with("    + word")), "{lines:?}");
        assert!(lines.iter().all(|line| line.len() <= 72), "{lines:?}");
        let narrow = narrowed(lines, Some(30));
        assert!(narrow.iter().all(|line| line.len() <= 30), "{narrow:?}");
        assert!(narrow.iter().skip(1).all(|line| line.starts_with("    + ")), "{narrow:?}");
        let narrow = narrowed(value("note =", &padded), Some(40));
        assert!(narrow[1..].iter().all(|line| line.starts_with('|')), "{narrow:?}");
        assert_eq!(narrowed(vec!["digest abc".to_owned()], None), ["digest abc"]);
        let wide = block(&"株".repeat(60));
        assert_eq!(wide.iter().map(|line| line.chars().count()).collect::<Vec<_>>(), [37, 27]);
    }
}
