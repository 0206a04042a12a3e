//! Pieces of a message as each service wants them.

use super::Span;

/// Telegram's HTML. Every tag that is opened is closed, and no text can open one.
#[must_use]
pub fn telegram(spans: &[Span]) -> String {
    let of = |span: &Span| match span {
        Span::Text(text) => entities(text),
        Span::Code(code) => format!("<code>{}</code>", entities(code)),
        Span::Block(code) => format!("<pre>{}</pre>", entities(code)),
        Span::Styled(style, inner) => {
            let tag = style.of(["b", "i", "u", "s"]);
            format!("<{tag}>{}</{tag}>", telegram(inner))
        }
    };
    spans.iter().map(of).collect()
}

/// Slack's `mrkdwn`: without `<`, no text can become a link with a label, or a mention.
#[must_use]
pub fn slack(spans: &[Span]) -> String {
    let mut written = String::new();
    for span in spans {
        match span {
            Span::Text(text) => written.push_str(&entities(text)),
            Span::Code(code) => push_code(&mut written, &format!("`{}`", entities(code))),
            Span::Block(code) => push_code(&mut written, &format!("```{}```", entities(code))),
            Span::Styled(style, inner) => {
                let mark = style.of(["*", "_", "_", "~"]);
                written.push_str(&format!("{mark}{}{mark}", slack(inner)));
            }
        }
    }
    written
}

/// Adds code in backticks. Behind other code it begins a line: backticks that meet are read as other pairs, and what was
/// code would be marks.
fn push_code(written: &mut String, code: &str) {
    if written.ends_with('`') {
        written.push('\n');
    }
    written.push_str(code);
}

/// Discord's Markdown, with every mark of the text escaped.
#[must_use]
pub fn discord(spans: &[Span]) -> String {
    let mut written = String::new();
    for span in spans {
        match span {
            Span::Text(text) => escaped(text, &mut written),
            Span::Code(code) => push_code(&mut written, &format!("`{code}`")),
            Span::Block(code) => push_code(&mut written, &format!("```\n{code}\n```")),
            Span::Styled(style, inner) => {
                let mark = style.of(["**", "*", "__", "~~"]);
                written.push_str(mark);
                written.push_str(&discord(inner));
                written.push_str(mark);
            }
        }
    }
    written
}

fn entities(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Adds a text of which nothing is a mark. Discord reads no escapes in an address, and reads it as far as the next blank, with
/// the backslashes: `<` and `>`, which it does not show, are its ends.
fn escaped(text: &str, written: &mut String) {
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let used = address(rest);
        if used > 0 {
            written.push_str(&format!("<{}>", &rest[..used]));
            rest = &rest[used..];
            continue;
        }
        let begins = written.is_empty() || written.ends_with('\n');
        if "\\*_~`|<[]".contains(next) || begins && "#>-+".contains(next) {
            written.push('\\');
        }
        written.push(next);
        rest = &rest[next.len_utf8()..];
    }
}

/// How many bytes of an address begin a text: as far as nothing in it could be another mark, without what ends a sentence.
fn address(text: &str) -> usize {
    let after = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(after) = after else { return 0 };
    let fits = |c: char| c.is_alphanumeric() || "-._~/?#@!$&+,;=%:".contains(c);
    let end = after.find(|c: char| !fits(c)).unwrap_or(after.len());
    let end = after[..end].trim_end_matches([',', '.', ';', ':', '!', '?']).len();
    if end == 0 { 0 } else { text.len() - after.len() + end }
}
