//! RSS, Atom and JSON Feed.

use super::url;
use crate::{Body, FeedItems, Item, Missed, read_feed};

fn read(text: &str) -> Vec<Item> {
    whole(text).items
}

fn whole(text: &str) -> FeedItems {
    read_feed(&Body { url: &url(), content_type: None, bytes: text.as_bytes() }).unwrap()
}

#[test]
fn f_311_dates_that_cannot_be_read_and_items_that_are_left_out_are_counted() {
    let item = |date: &str| format!("<item><title>T</title>{date}</item>");
    let feed = |items: &str| {
        whole(&format!("<rss version='2.0'><channel><title>F</title>{items}</channel></rss>"))
    };
    let good = item("<pubDate>Tue, 03 Mar 2026 05:00:00 GMT</pubDate>");
    let items = format!("{good}{}{}", item("<pubDate>22.11.2026</pubDate>"), item(""));
    let read = feed(&items);
    assert_eq!(read.items.iter().filter(|item| item.published.is_none()).count(), 2);
    assert_eq!(read.missed, Missed { dates: 1, items: 0 });
    assert_eq!(feed(&good).missed, Missed::default());
    let many = feed(&good.repeat(2_003));
    assert_eq!((many.items.len(), many.missed), (2_000, Missed { dates: 0, items: 3 }));
}

#[test]
fn f_101_rss_is_read() {
    let items = read(
        "<?xml version='1.0'?><!DOCTYPE rss SYSTEM 'x'><rss version='2.0' xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>F</title>
         <item><title>Rule on &amp;amp; off</title><link>/r/1</link><description>&lt;p&gt;A &lt;b&gt;rule&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Next&lt;/p&gt;</description>
         <pubDate>Tue, 03 Mar 2026 05:00:00 -0500</pubDate><category>Rules</category><category>Air</category><guid isPermaLink='false'>fr-1</guid><dc:creator>EPA</dc:creator></item>
         <item><title>Second</title><link>https://example.org/r/2</link></item>
         <item><description>no title, no link</description><pubDate>Tue, 03 Mar 2026 06:00:00 GMT</pubDate></item>
         </channel></rss>",
    );
    let first = &items[0];
    assert_eq!(
        (first.id.as_str(), first.title.as_str(), first.summary.as_str()),
        ("fr-1", "Rule on & off", "A rule. Next")
    );
    assert_eq!(first.published.unwrap().to_string(), "2026-03-03T10:00:00Z");
    assert_eq!(first.link.as_deref(), Some("https://example.org/r/1"));
    assert_eq!((first.category.as_str(), first.author.as_str()), ("Rules, Air", "EPA"));
    assert_eq!(items[1].id, "https://example.org/r/2", "without an id, the link");
    assert_eq!(items[2].id.len(), 64, "without either, a digest");
    assert_eq!(items[2].published.unwrap().to_string(), "2026-03-03T06:00:00Z");
}

#[test]
fn f_101_an_item_has_the_same_id_every_time() {
    let item = |title: &str| {
        format!("<rss version='2.0'><channel><item><title>{title}</title></item></channel></rss>")
    };
    assert_eq!(read(&item("a"))[0].id, read(&item("a"))[0].id);
    assert_ne!(read(&item("a"))[0].id, read(&item("b"))[0].id);
}

#[test]
fn f_101_atom_is_read() {
    let items = read(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title><id>f</id><updated>2026-03-04T00:00:00Z</updated>
         <entry><id>tag:example.org,2026:1</id><title type='html'>A &lt;i&gt;b&lt;/i&gt;</title><updated>2026-03-04T00:00:00+01:00</updated>
         <link rel='self' href='/self'/><link rel='alternate' href='/e/1'/><category term='x' label='Label'/><summary>short</summary>
         <content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>long</div></content><author><name>N</name></author></entry>
         <entry><id>2</id><title>t</title><updated>bad date</updated><content type='html'>&lt;p&gt;only content&lt;/p&gt;</content></entry></feed>",
    );
    let first = &items[0];
    assert_eq!(
        (first.title.as_str(), first.summary.as_str(), first.category.as_str()),
        ("A b", "short", "Label")
    );
    assert_eq!(first.link.as_deref(), Some("https://example.org/e/1"));
    assert_eq!(first.published.unwrap().to_string(), "2026-03-03T23:00:00Z");
    assert_eq!((items[1].summary.as_str(), items[1].published), ("only content", None));
}

#[test]
fn f_101_json_feed_is_read() {
    let items = read(
        r#"{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[
            {"id":"1","url":"https://example.org/1","title":"One","content_html":"<p>x</p>","date_published":"2026-03-01T10:00:00+02:00","tags":["a","b"]}]}"#,
    );
    assert_eq!(
        (items[0].id.as_str(), items[0].summary.as_str(), items[0].category.as_str()),
        ("1", "x", "a, b")
    );
    assert_eq!(items[0].published.unwrap().to_string(), "2026-03-01T08:00:00Z");
}

#[test]
fn f_101_a_feed_in_another_encoding_is_read_once() {
    let bytes = b"<?xml version='1.0' encoding='ISO-8859-1'?><rss version='2.0'><channel><item><title>Caf\xe9</title></item></channel></rss>";
    let read = |content_type| read_feed(&Body { url: &url(), content_type, bytes }).unwrap().items;
    assert_eq!(read(None)[0].title, "Café");
    assert_eq!(read(Some("text/xml; charset=iso-8859-1"))[0].title, "Café");
}

#[test]
fn f_101_what_is_no_feed_is_refused() {
    for text in [
        "",
        "hello",
        "<html><body>no</body></html>",
        "{\"a\":1}",
        "{",
        "<rss version='2.0'><channel></item></channel></rss>",
    ] {
        let error = read_feed(&Body { url: &url(), content_type: None, bytes: text.as_bytes() })
            .unwrap_err();
        assert!(error.to_string().starts_with("the feed cannot be read"), "{text}: {error}");
    }
}
