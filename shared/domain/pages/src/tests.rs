mod feeds;
mod hostile;
mod pages;
mod scraping;

use url::Url;

use crate::Body;

fn url() -> Url {
    Url::parse("https://example.org/list/page?p=1").unwrap()
}

fn html<'b>(url: &'b Url, bytes: &'b [u8]) -> Body<'b> {
    Body { url, content_type: Some("text/html"), bytes }
}
