//! The words of a to-do that have a form.

use countersign_document::{Refused, text_type};
use jiff::civil::Date;

/// The list of a to-do that names none.
pub const DEFAULT_LIST: &str = "todos.org";

text_type! {
    /// A tag, as org-mode has them.
    pub struct Tag {
        format: "todo-tag", code: "tag", sample: "a", pattern: r"^[\w@#%]{1,50}$", check: tag
    }
    /// A list of to-dos, named like an org file.
    pub struct ListName {
        format: "todo-list", code: "list", sample: "a.org", pattern: r"^[A-Za-z0-9_-]{1,96}\.org$", check: list
    }
    /// A day, `yyyy-mm-dd` (RFC 3339).
    pub struct Day {
        format: "day", code: "day", sample: "2026-11-25", pattern: r"^\d{4}-\d{2}-\d{2}$", check: day
    }
}

impl Default for ListName {
    fn default() -> Self {
        Self(DEFAULT_LIST.to_owned())
    }
}

impl ListName {
    /// Where the list is found: the path that `read_file` takes.
    #[must_use]
    pub fn path(&self) -> String {
        format!("todos/{self}")
    }
}

impl Day {
    /// The date.
    #[must_use]
    pub fn date(&self) -> Option<Date> {
        self.as_str().parse().ok()
    }
}

fn tag(text: &str) -> Result<(), Refused> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%');
    when(
        (1..=50).contains(&text.chars().count()) && text.chars().all(fits),
        "must be 1 to 50 letters, digits, `_`, `@`, `#` and `%`",
    )
}

fn list(text: &str) -> Result<(), Refused> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let stem = text.strip_suffix(".org").unwrap_or_default();
    when(
        (1..=96).contains(&stem.len()) && stem.bytes().all(fits),
        "must be letters, digits, `_` and `-`, ending in `.org`, such as `todos.org`",
    )
}

fn day(text: &str) -> Result<(), Refused> {
    let is_day = text.len() == 10 && text.parse::<Date>().is_ok();
    when(is_day, "must be a day, such as `2026-11-25`")
}

fn when(holds: bool, message: &str) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err(Refused::of_key(message)) }
}

#[cfg(test)]
mod tests {
    use super::{Day, ListName, Tag};

    fn check<T: std::str::FromStr>(good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(text.parse::<T>().is_ok(), "{text}");
        }
        for text in bad {
            assert!(text.parse::<T>().is_err(), "{text}");
        }
    }

    #[test]
    fn f_075_tags_lists_and_days_have_a_form() {
        check::<Tag>(&["work", "@home", "größe", "a#b%"], &["", "a b", "a:b", &"x".repeat(51)]);
        check::<ListName>(
            &["todos.org", "my-list_2.org"],
            &["todos", ".org", "a/b.org", "../a.org", "a.org.org"],
        );
        check::<Day>(
            &["2026-11-25", "2024-02-29"],
            &["2026-13-01", "2025-02-29", "2026-11-25T00:00:00Z", "25.11.2026", ""],
        );
        assert_eq!(ListName::default().path(), "todos/todos.org");
    }
}
