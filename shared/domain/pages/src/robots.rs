//! robots.txt: whether a site lets an address be read (RFC 9309).

use std::time::Duration;

use texting_robots::Robot;
use url::Url;

/// The name this product answers to in robots.txt.
pub const AGENT: &str = "Countersign";

/// Bytes of a robots.txt that count; the rest is not read.
const MAX_LENGTH: usize = 500 * 1024;
/// Rules that become a regular expression each.
const MAX_PATTERNS: usize = 2_000;

/// A robots.txt that is not readable as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the site's robots.txt cannot be read")]
pub struct UnreadableRobots;

/// The rules of a site for [`AGENT`].
pub struct RobotsTxt(Option<Robot>);

impl std::fmt::Debug for RobotsTxt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "RobotsTxt(rules)" } else { "RobotsTxt(none)" })
    }
}

impl RobotsTxt {
    /// A site without rules.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Reads a robots.txt.
    ///
    /// # Errors
    /// [`UnreadableRobots`] when it cannot be read, or is built to be slow: nothing may be read then.
    pub fn parse(bytes: &[u8]) -> Result<Self, UnreadableRobots> {
        let bytes = &bytes[..bytes.len().min(MAX_LENGTH)];
        if bytes
            .split(|byte| *byte == b'\n' || *byte == b'\r')
            .filter(|line| line.contains(&b'$'))
            .count()
            > MAX_PATTERNS
        {
            return Err(UnreadableRobots);
        }
        Robot::new(AGENT, bytes).map(|robot| Self(Some(robot))).map_err(|_| UnreadableRobots)
    }

    /// Whether an address may be read.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        self.0.as_ref().is_none_or(|robot| robot.allowed(url.as_str()))
    }

    /// How long the site asks to wait between requests.
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        let seconds = self.0.as_ref()?.delay?;
        Duration::try_from_secs_f32(seconds).ok()
    }
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
        assert_eq!(
            RobotsTxt::parse(text.as_bytes()).unwrap().allows(&url(path)),
            allowed,
            "{path}"
        );
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
        let robots = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 2.5\n").unwrap();
        assert_eq!(robots.delay().unwrap().as_millis(), 2_500);
        assert!(RobotsTxt::parse(b"User-agent: *\nCrawl-delay: -1\n").unwrap().delay().is_none());
        assert!(RobotsTxt::none().delay().is_none() && RobotsTxt::none().allows(&url("/")));
    }

    #[test]
    fn k_76_a_robots_txt_built_to_be_slow_allows_nothing() {
        let slow = format!("User-agent: *\n{}", "Disallow: /a*$\n".repeat(3_000));
        assert!(RobotsTxt::parse(slow.as_bytes()).is_err());
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
        fn any_bytes_are_rules_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), words in "((User-agent|Allow|Disallow|Crawl-delay): ?[*$/a-z%0-9]{0,8}\n){0,6}") {
            for bytes in [bytes.as_slice(), words.as_bytes()] {
                if let Ok(robots) = RobotsTxt::parse(bytes) {
                    let _ = (robots.allows(&url("/a/b?c")), robots.delay());
                }
            }
        }
    }
}
