//! What a call found on the web, as it is kept with the call (R-015).

use countersign_registry::Action as _;
use countersign_registry::actions::crawl_url::CrawlUrl;
use countersign_registry::actions::search_web::SearchWeb;
use countersign_run::{FoundPage, ToolAsk};
use serde_json::Value;

/// The pages that a search found, or the one that was read; none of any other tool.
pub(super) fn found(ask: &ToolAsk, output: &Value) -> Vec<FoundPage> {
    match ask.tool.as_str() {
        SearchWeb::NAME => FoundPage::of_search(output),
        CrawlUrl::NAME => {
            let given = ask.object().unwrap_or_default();
            let url = given.get("url").and_then(Value::as_str).unwrap_or_default();
            vec![FoundPage::of_page(url, output)]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(tool: &str, output: &Value, expect: &[&str]) {
        let arguments = r#"{"url": "https://a.example/1", "query": "owls"}"#.to_owned();
        let found = found(&ToolAsk { tool: tool.to_owned(), arguments }, output);
        let urls: Vec<&str> = found.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(urls, expect, "{tool}");
    }

    #[test]
    fn r_015_what_a_call_found_on_the_web_is_kept_with_it() {
        let results = json!({ "results": [{ "url": "https://b.example/" }], "count": 1 });
        check("search_web", &results, &["https://b.example/"]);
        let read =
            json!({ "content": "text", "title": "T", "links": [{ "url": "https://c.example/" }] });
        check("crawl_url", &read, &["https://a.example/1"]);
        check("query_journal", &results, &[]);
        check("register__search_web", &results, &[]);
    }
}
