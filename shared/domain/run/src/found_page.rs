//! What a call of a tool found on the web: kept with the call, so that people see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// Pages of one search that are kept.
const MAX_PAGES: usize = 10;
/// Characters of a title.
const MAX_TITLE: usize = 100;
/// Characters of an address.
const MAX_URL: usize = 1_000;
/// Characters of an excerpt.
const MAX_EXCERPT: usize = 200;

/// What may stand right behind an address in a text.
const BEHIND: [char; 13] = ['"', '\'', '`', '<', '>', '(', ')', '[', ']', '{', '}', '|', '\\'];
/// What may stand there too, where the address does not go on behind it.
const ENDS: [char; 6] = ['.', ',', ';', ':', '!', '?'];

/// A page of the web that a tool found or read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundPage {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// Words of it, up to 200 characters.
    pub excerpt: String,
    /// How well it fits the search, as whoever searched says; a higher one fits better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Number>,
}

impl FoundPage {
    /// The first pages that a search found, from what the search answered.
    #[must_use]
    pub fn of_search(answered: &Value) -> Vec<Self> {
        let results = answered.get("results").and_then(Value::as_array);
        let page = |found: &Value| Self {
            title: short(found, "title", MAX_TITLE),
            url: short(found, "url", MAX_URL),
            excerpt: short(found, "snippet", MAX_EXCERPT),
            score: found.get("score").and_then(Value::as_number).cloned(),
        };
        results.into_iter().flatten().take(MAX_PAGES).map(page).collect()
    }

    /// A page that was read at this address, from what reading it gave.
    #[must_use]
    pub fn of_page(url: &str, read: &Value) -> Self {
        Self {
            title: short(read, "title", MAX_TITLE),
            url: url.chars().take(MAX_URL).collect(),
            excerpt: short(read, "content", MAX_EXCERPT),
            score: None,
        }
    }

    /// The same page with what is said of it later: who reads it says more than who finds it.
    #[must_use]
    pub fn then(self, later: &Self) -> Self {
        let last =
            |first: String, later: &str| if later.is_empty() { first } else { later.to_owned() };
        Self {
            title: last(self.title, &later.title),
            excerpt: last(self.excerpt, &later.excerpt),
            score: self.score.or_else(|| later.score.clone()),
            ..self
        }
    }

    /// Whether a text has its address, and not as the beginning of a longer one.
    #[must_use]
    pub fn is_named_in(&self, text: &str) -> bool {
        let ends = |(at, url): (usize, &str)| {
            let rest = &text[at + url.len()..];
            let behind = rest.trim_start_matches(ENDS).chars().next();
            behind.is_none_or(|c| c.is_whitespace() || BEHIND.contains(&c))
        };
        !self.url.is_empty() && text.match_indices(self.url.as_str()).any(ends)
    }
}

/// A text on one line, up to so many characters.
fn short(of: &Value, field: &str, most: usize) -> String {
    let text = of.get(field).and_then(Value::as_str).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(most).collect();
    words.join(" ").chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn page(url: &str) -> FoundPage {
        FoundPage::of_page(url, &json!({ "title": "Owls", "content": "The  fund\nfiled." }))
    }

    #[test]
    fn r_015_what_a_search_found_is_kept_up_to_a_length() {
        let hit = json!({ "title": "Owls", "url": "https://a.example/1", "snippet": "x".repeat(300), "score": 0.5 });
        let found = FoundPage::of_search(&json!({ "results": vec![hit; 12], "count": 12 }));
        assert_eq!((found.len(), found[0].excerpt.len()), (MAX_PAGES, MAX_EXCERPT));
        let told = serde_json::to_value(&found[0]).unwrap();
        assert_eq!((&told["title"], &told["score"]), (&json!("Owls"), &json!(0.5)));
        assert_eq!(FoundPage::of_search(&json!({ "error": "none" })), []);
        let without = FoundPage::of_search(&json!({ "results": [{ "url": 7, "score": null }] }));
        assert_eq!((without[0].url.as_str(), &without[0].score), ("", &None));
    }

    #[test]
    fn r_015_who_reads_a_page_says_more_of_it_than_who_finds_it() {
        let hit =
            json!({ "title": "O", "url": "https://a.example/1", "snippet": "about", "score": 1 });
        let found = FoundPage::of_search(&json!({ "results": [hit] })).remove(0);
        let both = found.clone().then(&page("https://a.example/1"));
        assert_eq!((both.title.as_str(), both.excerpt.as_str()), ("Owls", "The fund filed."));
        assert_eq!(both.score, found.score);
        let structured = json!({ "title": "", "content": [{ "heading": "A" }] });
        let read = FoundPage::of_page("https://a.example/1", &structured);
        assert_eq!(found.clone().then(&read), found);
    }

    #[test]
    fn r_015_an_address_is_named_as_a_whole() {
        let check = |text: &str, expect: bool| {
            assert_eq!(page("https://a.example/1").is_named_in(text), expect, "{text}");
        };
        for text in [
            "https://a.example/1",
            "at (https://a.example/1).",
            "https://a.example/1, and",
            "<https://a.example/1>",
        ] {
            check(text, true);
        }
        for text in [
            "",
            "https://a.example/12",
            "https://a.example/1.html",
            "https://a.example/1?page=2",
            "https://b.example/1",
        ] {
            check(text, false);
        }
        check("https://a.example/12 and https://a.example/1", true);
        assert!(!page("").is_named_in("anything"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn r_015_every_text_can_be_looked_through(text in any::<String>(), url in "[a-z.:/é]{0,6}") {
            let _ = page(&url).is_named_in(&text);
            let kept = FoundPage::of_page(&url, &json!({ "title": text, "content": text }));
            prop_assert!(kept.excerpt.chars().count() <= MAX_EXCERPT);
        }
    }
}
