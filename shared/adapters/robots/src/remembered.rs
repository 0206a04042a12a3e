//! What sites have said, in memory that everybody who reads pages shares: bounded by bytes, the oldest out first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use countersign_pages::RobotsTxt;
use jiff::{SignedDuration, Timestamp};

/// How long a robots.txt is remembered.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Bytes of all that are remembered.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// About the bytes that a site takes beside its rules.
const OF_SITE: usize = 300;

/// The rules of sites.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    sites: HashMap<String, Known>,
    /// Sites in the order in which they were remembered.
    order: BTreeMap<u64, String>,
    next: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Known {
    rules: Arc<RobotsTxt>,
    until: Timestamp,
    place: u64,
    bytes: usize,
}

impl Remembered {
    /// The rules of a site, while they are not older than a day.
    pub(crate) fn get(&self, origin: &str, now: Timestamp) -> Option<Arc<RobotsTxt>> {
        let known = self.sites.get(origin).filter(|known| known.until > now)?;
        Some(Arc::clone(&known.rules))
    }

    /// Remembers the rules of a site, and forgets the oldest ones where there is no room.
    pub(crate) fn put(&mut self, origin: String, rules: Arc<RobotsTxt>, now: Timestamp) {
        self.forget(&origin);
        let (place, bytes) = (self.next, rules.bytes() + 2 * origin.len() + OF_SITE);
        let until = now.checked_add(KEPT).unwrap_or(now);
        self.next += 1;
        self.bytes += bytes;
        self.order.insert(place, origin.clone());
        self.sites.insert(origin, Known { rules, until, place, bytes });
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.forget(&oldest);
        }
    }

    fn forget(&mut self, origin: &str) {
        if let Some(known) = self.sites.remove(origin) {
            self.order.remove(&known.place);
            self.bytes -= known.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules of about so many bytes.
    fn rules(bytes: usize) -> Arc<RobotsTxt> {
        let text = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(bytes));
        Arc::new(RobotsTxt::parse(text.as_bytes()))
    }

    fn origin(n: usize) -> String {
        format!("https://site-{n}.example.org")
    }

    #[test]
    fn k_76_the_oldest_are_forgotten_where_there_is_no_room() {
        let (mut all, now) = (Remembered::default(), Timestamp::UNIX_EPOCH);
        for n in 0..100 {
            all.put(origin(n), rules(400_000), now);
            assert!(all.bytes <= MAX_BYTES, "{}", all.bytes);
        }
        assert!(all.get(&origin(99), now).is_some() && all.get(&origin(40), now).is_some());
        assert!(all.get(&origin(0), now).is_none());
        assert_eq!((all.sites.len(), all.order.len()), (83, 83));
    }

    #[test]
    fn k_76_a_site_that_is_asked_again_is_counted_once() {
        let (mut all, now) = (Remembered::default(), Timestamp::UNIX_EPOCH);
        all.put(origin(1), rules(10), now);
        let before = all.bytes;
        all.put(origin(1), rules(10), now);
        assert_eq!((all.bytes, all.sites.len(), all.order.len()), (before, 1, 1));
        let later = now.checked_add(KEPT).unwrap();
        assert!(all.get(&origin(1), later).is_none());
    }
}
