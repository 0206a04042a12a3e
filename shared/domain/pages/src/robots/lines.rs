//! The lines of a robots.txt that mean something here.

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Line<'t> {
    /// Whom the rules behind it are for; `*` is everybody.
    Agent(&'t str),
    /// A path, and whether it may be read.
    Rule(bool, &'t str),
    /// Seconds between two requests.
    Delay(f32),
}

/// Names of a field, and how they are often misspelt: a site that writes them so means no.
const DISALLOW: [&str; 6] =
    ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"];

/// All lines that can be read, in order.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.split(|byte| matches!(byte, b'\n' | b'\r' | 0)).filter_map(line)
}

fn line(bytes: &[u8]) -> Option<Line<'_>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.split('#').next()?.trim();
    let by_space = || text.split_once(char::is_whitespace).and_then(field);
    text.split_once(':').and_then(field).or_else(by_space)
}

fn field<'t>((name, value): (&'t str, &'t str)) -> Option<Line<'t>> {
    let value = value.trim();
    let name: String = name.chars().filter(|c| c.is_alphabetic()).collect();
    match name.to_lowercase().as_str() {
        "useragent" => Some(Line::Agent(product(value))),
        "allow" => Some(Line::Rule(true, value)),
        "crawldelay" => value.parse().ok().filter(|delay| *delay >= 0.0).map(Line::Delay),
        name if DISALLOW.contains(&name) => Some(Line::Rule(false, value)),
        _ => None,
    }
}

/// The name without a version: `Countersign/1.0` is `Countersign`.
fn product(value: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphabetic() || matches!(c, '-' | '_' | '*');
    value.split(|c| !is_part(c)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Line, lines};

    #[track_caller]
    fn check(text: &str, expect: &[Line<'_>]) {
        assert_eq!(lines(text.as_bytes()).collect::<Vec<_>>(), expect, "{text}");
    }

    #[test]
    fn k_76_lines_are_read_however_they_are_written() {
        check("\u{feff}User-Agent : Bot/2.1 # x\r\n", &[Line::Agent("Bot")]);
        check("user agent: *\nuseragent: a", &[Line::Agent("*"), Line::Agent("a")]);
        check("Disallow:/a b#c", &[Line::Rule(false, "/a b")]);
        check("DISALOW: /x\nAllow /y:z", &[Line::Rule(false, "/x"), Line::Rule(true, "/y:z")]);
        check("Disallow:\nnonsense\nSitemap: https://x.org/a", &[Line::Rule(false, "")]);
        check("Crawl-delay: 2.5\nCrawl-delay: -1\nCrawl-delay: soon", &[Line::Delay(2.5)]);
    }

    #[test]
    fn k_76_a_line_that_is_no_text_is_skipped() {
        let read: Vec<Line<'_>> = lines(b"Disallow: /\xff\nDisallow: /a").collect();
        assert_eq!(read, [Line::Rule(false, "/a")]);
    }
}
