//! robots.txt: whether a site lets an address be read (RFC 9309).

mod lines;
mod pattern;

use std::time::Duration;

use url::{Position, Url};

use self::lines::{Line, lines};
use self::pattern::{Pattern, normal};

/// The name this product answers to in robots.txt.
pub const AGENT: &str = "Countersign";

/// Bytes of a robots.txt that count; the rest is not read.
const MAX_LENGTH: usize = 500 * 1024;

/// The rules of a site for [`AGENT`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotsTxt {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    pattern: Pattern,
    allows: bool,
}

impl RobotsTxt {
    /// A site without rules.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads a robots.txt. What is no line of one is skipped.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let bytes = &bytes[..bytes.len().min(MAX_LENGTH)];
        let is_ours = |line: &Line<'_>| matches!(line, Line::Agent(agent) if agent.eq_ignore_ascii_case(AGENT));
        let agent = if lines(bytes).any(|line| is_ours(&line)) { AGENT } else { "*" };
        let mut read = Self::default();
        // Where nobody is named, rules are for everybody; a delay before the first name is so in any case.
        let mut counts = !lines(bytes).any(|line| matches!(line, Line::Agent(_)));
        let (mut is_name, mut is_first, mut general) = (false, true, None);
        for line in lines(bytes) {
            match line {
                Line::Agent(name) => {
                    // Names behind one another have the same rules.
                    counts = (counts && is_name) || name.eq_ignore_ascii_case(agent);
                    (is_name, is_first) = (true, false);
                    continue;
                }
                Line::Rule(allows, text) if counts => {
                    let pattern = Pattern::read(text);
                    read.rules.extend(pattern.map(|pattern| Rule { pattern, allows }));
                }
                Line::Delay(seconds) if is_first => general = general.or(seconds_of(seconds)),
                Line::Delay(seconds) if counts => read.delay = read.delay.or(seconds_of(seconds)),
                Line::Rule(..) | Line::Delay(_) => {}
            }
            is_name = false;
        }
        read.delay = read.delay.or(general);
        read
    }

    /// Whether an address may be read: the longest pattern that matches decides, and of two that are as long, the one that allows
    /// it.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        if path == "/robots.txt" {
            return true;
        }
        let path = normal(path);
        let matching = self.rules.iter().filter(|rule| rule.pattern.matches(&path));
        let decides = matching.max_by_key(|rule| (rule.pattern.length(), rule.allows));
        decides.is_none_or(|rule| rule.allows)
    }

    /// How long the site asks to wait between requests.
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }

    /// About the bytes that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let rules = self.rules.iter().map(|rule| rule.pattern.bytes() + size_of::<bool>());
        size_of::<Self>() + rules.sum::<usize>()
    }
}

fn seconds_of(seconds: f32) -> Option<Duration> {
    Duration::try_from_secs_f32(seconds).ok()
}

/// Where the robots.txt for an address stands.
#[must_use]
pub fn robots_address(url: &Url) -> Option<Url> {
    let mut url = url.join("/robots.txt").ok()?;
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::{RobotsTxt, robots_address};

    fn url(path: &str) -> Url {
        Url::parse("https://example.org").unwrap().join(path).unwrap()
    }

    #[track_caller]
    fn check(text: &str, path: &str, allowed: bool) {
        assert_eq!(RobotsTxt::parse(text.as_bytes()).allows(&url(path)), allowed, "{path}");
    }

    #[test]
    fn k_76_our_own_group_counts_and_the_longest_rule_in_it() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: countersign\nDisallow: /private\nAllow: /private/open\nDisallow: /*.pdf$\n";
        check(text, "/page", true);
        check(text, "/private/x", false);
        check(text, "/private/open/x", true);
        check(text, "/a/b.pdf", false);
        check(text, "/a/b.pdf?x=1", true);
        check("User-agent: *\nDisallow: /search?q=", "/search?q=a", false);
        check("User-agent: *\nDisallow:\n", "/any", true);
        check("User-agent: other\nDisallow: /\n", "/any", true);
    }

    #[test]
    fn k_76_a_site_asks_for_patience() {
        let delay = |text: &str| RobotsTxt::parse(text.as_bytes()).delay().map(|d| d.as_millis());
        assert_eq!(delay("User-agent: *\nCrawl-delay: 2.5\n"), Some(2_500));
        assert_eq!(delay("User-agent: *\nCrawl-delay: -1\n"), None);
        assert_eq!(delay("Crawl-delay: 3\nUser-agent: other\nCrawl-delay: 9\n"), Some(3_000));
        assert_eq!(delay("Crawl-delay: 3\nUser-agent: *\nCrawl-delay: 9\n"), Some(9_000));
        assert!(RobotsTxt::none().delay().is_none() && RobotsTxt::none().allows(&url("/")));
    }

    #[test]
    fn k_76_names_behind_one_another_have_the_same_rules() {
        let text = "User-agent: a\nUser-agent: Countersign/1.0\nDisallow: /x\nUser-agent: b\nDisallow: /y\nUser-agent: countersign\nDisallow: /z\n";
        check(text, "/x", false);
        check(text, "/y", true);
        check(text, "/z", false);
        check("Disallow: /x", "/x", false);
        check("User-agent: *\nDisallow: /\nAllow: /$\n", "/", true);
        check("User-agent: *\nDisallow: /\nAllow: /$\n", "/x", false);
        check("User-agent: *\nDisallow: /a\nAllow: /a", "/a", true);
        check("User-agent: *\nDisallow: /", "/robots.txt", true);
    }

    #[test]
    fn k_76_many_rules_take_little_more_than_their_text() {
        let many = format!("User-agent: *\n{}", "Disallow: /a*$\n".repeat(30_000));
        let robots = RobotsTxt::parse(many.as_bytes());
        assert!(robots.bytes() < 2_000_000, "{}", robots.bytes());
        assert!(!robots.allows(&url("/a/b")) && robots.allows(&url("/b")));
    }

    #[test]
    fn k_76_every_origin_has_its_own() {
        let at =
            robots_address(&Url::parse("https://a.example.org:8443/x/y?z#f").unwrap()).unwrap();
        assert_eq!(at.as_str(), "https://a.example.org:8443/robots.txt");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn any_bytes_are_read_as_rules(bytes in proptest::collection::vec(any::<u8>(), 0..300), words in "((User-agent|Allow|Disallow|Crawl-delay): ?[*$/a-z%0-9]{0,8}\n){0,6}") {
            for bytes in [bytes.as_slice(), words.as_bytes()] {
                let robots = RobotsTxt::parse(bytes);
                let _ = (robots.allows(&url("/a/b?c")), robots.delay());
            }
        }
    }
}
