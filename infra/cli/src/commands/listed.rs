//! What the API says: a table or lines for people, or JSON as it is.

use reqwest::Url;
use serde_json::Value;

use super::session::Session;
use super::{items, row, text};
use crate::door::Door;
use crate::error::CliError;

/// So many items of a list are shown.
const MOST: usize = 500;

/// So many has a page at most.
const PAGE: usize = 100;

/// So many pages are read.
const MAX_PAGES: usize = 50;

/// A list of the API as a table.
pub(crate) struct List {
    pub(crate) fields: &'static [&'static str],
    pub(crate) titles: &'static [&'static str],
}

impl List {
    /// Prints what is at this path.
    pub(crate) async fn show(&self, session: &Session<'_>, path: &str) -> Result<(), CliError> {
        let page = pages(&session.door, path, None).await?;
        session.table(&page, self.titles, |found| row(found, self.fields));
        Ok(())
    }
}

/// The items of a list, of as many of its pages as are needed for `limit`; `next` stays where there are more. A filter may leave
/// a page with few items, or none.
pub(crate) async fn pages(door: &Door, path: &str, limit: Option<u32>) -> Result<Value, CliError> {
    let most = limit.map_or(MOST, |limit| limit as usize);
    let wanted = |found: usize| limit.map(|_| most.saturating_sub(found).clamp(1, PAGE));
    let mut all = door.get(&address(path, wanted(0), None)).await?;
    for _ in 1..MAX_PAGES {
        let found = items(&all).len();
        let Some(next) = text(&all, "next").filter(|_| found < most) else { break };
        let page = door.get(&address(path, wanted(found), Some(&next))).await?;
        add(&mut all, page);
    }
    Ok(all)
}

/// A path with the filters that are given, encoded.
pub(crate) fn narrowed(path: &str, filters: &[(&str, Option<String>)]) -> Result<String, CliError> {
    let given = filters.iter().filter_map(|(name, value)| Some((*name, value.as_ref()?)));
    let address = Url::parse_with_params("http://deployment/", given);
    let address = address.map_err(|error| CliError::Argument(error.to_string()))?;
    let query = address.query().filter(|query| !query.is_empty());
    Ok(query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

/// Adds the page that follows.
fn add(all: &mut Value, mut page: Value) {
    let more = page["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
    if let Some(items) = all["items"].as_array_mut() {
        items.extend(more);
    }
    all["next"] = page["next"].take();
}

fn address(path: &str, limit: Option<usize>, cursor: Option<&str>) -> String {
    let limit = limit.map(|limit| format!("limit={limit}"));
    let cursor = cursor.map(|cursor| format!("cursor={cursor}"));
    let given: Vec<String> = limit.into_iter().chain(cursor).collect();
    match (given.is_empty(), path.contains('?')) {
        (true, _) => path.to_owned(),
        (false, true) => format!("{path}&{}", given.join("&")),
        (false, false) => format!("{path}?{}", given.join("&")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn issue_14_pages_of_a_list_become_one() {
        let mut all = json!({"items": [1, 2], "next": "a"});
        add(&mut all, json!({"items": [], "next": "b"}));
        add(&mut all, json!({"items": [3], "next": "c"}));
        assert_eq!(all, json!({"items": [1, 2, 3], "next": "c"}));
        add(&mut all, json!({"items": [4]}));
        assert_eq!((items(&all).len(), text(&all, "next")), (4, None));
    }

    #[test]
    fn filters_are_encoded() {
        let of = |state: Option<&str>| {
            narrowed("/runs", &[("none", None), ("state", state.map(str::to_owned))]).unwrap()
        };
        assert_eq!(of(None), "/runs");
        assert_eq!(of(Some("a&b=c")), "/runs?state=a%26b%3Dc");
    }

    #[test]
    fn issue_14_a_page_is_asked_for_behind_the_one_before() {
        assert_eq!(address("/monitors", None, None), "/monitors");
        assert_eq!(address("/monitors", None, Some("a")), "/monitors?cursor=a");
        assert_eq!(
            address("/runs?status=error", Some(20), Some("a")),
            "/runs?status=error&limit=20&cursor=a"
        );
    }
}
