//! Pages and feeds that are built to break their reader.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use countersign_connector::{Operation, ScrapeRules, parse};
use proptest::prelude::*;

use super::{html, url};
use crate::{Body, ExtractMode, PageError, read_feed, read_page, read_records};

fn anything() -> ScrapeRules {
    let yaml = "{id: s, name: S, type: web_scraper, version: 1.0.0, connection: {base_url: 'https://e.org'}, endpoints: \
                {e: {description: d, path: /, list: '*', fields: [{field: a, selector: 'b, td, p'}, {field: h, attr: href}], next_page: a}}}";
    match &parse(yaml).definition.unwrap().endpoints["e"].operation {
        Operation::Scrape(rules) => (**rules).clone(),
        other => panic!("{other:?}"),
    }
}

/// Reads a page in every way, on a thread with as little stack as a worker has, within a time.
fn survives(page: String, expect: Option<PageError>) {
    let all = &[ExtractMode::Text, ExtractMode::Markdown, ExtractMode::Structured];
    survives_in(all, page, expect);
}

fn survives_in(modes: &'static [ExtractMode], page: String, expect: Option<PageError>) {
    let limit = Instant::now() + Duration::from_secs(60);
    let reading = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(move || {
        let going = || Instant::now() < limit;
        for &mode in modes {
            let read = read_page(&html(&url(), page.as_bytes()), mode, 10_000, &going);
            assert_eq!(read.as_ref().err(), expect.as_ref(), "{mode:?}");
        }
        let read = read_records(&anything(), &html(&url(), page.as_bytes()), 100, &going);
        assert_eq!(read.err(), expect);
    });
    reading.unwrap().join().unwrap();
    assert!(Instant::now() < limit, "it took too long");
}

const DEEP: PageError =
    PageError::Limit(Cow::Borrowed("elements nested more than 256 levels deep"));
const MANY: PageError = PageError::Limit(Cow::Borrowed("more than 300,000 elements and texts"));

#[test]
fn k_38_deep_nesting_is_refused() {
    survives("<div>".repeat(200_000), Some(DEEP));
    survives("<b><i>".repeat(100_000), Some(DEEP));
    survives("<table><tr><td>".repeat(50_000), Some(DEEP));
    survives("<svg><g>".repeat(50_000), Some(DEEP));
}

#[test]
fn k_38_nesting_within_the_bound_is_read() {
    survives(format!("{}deep{}", "<ul><li>".repeat(120), "</li></ul>".repeat(120)), None);
    survives(format!("{}deep", "<blockquote>".repeat(240)), None);
    survives(format!("{}deep", "<a href=x><b>".repeat(60)), None);
}

#[test]
fn k_38_markup_that_grows_in_the_parser_is_refused() {
    let open: String = (0..200).map(|n| format!("<b a={n}>")).collect();
    survives(format!("<p>{open}{}", "</p><p>".repeat(1_000_000)), Some(MANY));
}

const ATTRIBUTES: PageError = PageError::Limit(Cow::Borrowed(
    "more than 600,000 attributes, or more than 1,000 in one element",
));

#[test]
fn k_38_attributes_that_the_parser_repeats_are_refused() {
    let attributes = |count: usize| (0..count).map(|n| format!(" a{n}")).collect::<String>();
    let repeated = |count| format!("<p><b{}>{}", attributes(count), "x</p><p>".repeat(100_000));
    survives(repeated(900), Some(ATTRIBUTES));
    // One element is looked at before what stands behind it makes the parser copy it.
    survives(repeated(20_000), Some(ATTRIBUTES));
    survives(format!("<p><b{}>x</b>", attributes(900)), None);
}

#[test]
fn k_38_ten_megabytes_are_refused_or_read() {
    survives_in(&[ExtractMode::Text], "<p>x".repeat(2_500_000), Some(MANY));
    survives_in(
        &[ExtractMode::Text],
        format!("<title>x</title><p>{}", "word ".repeat(2_000_000)),
        None,
    );
    survives_in(&[ExtractMode::Text], format!("<!--{}", "-".repeat(10_000_000)), None);
}

#[test]
fn k_38_looking_for_the_article_ends() {
    let item = "<div class=content><p>Some words, and <a href=/x>a link</a>, and some more, to look like text.</p>";
    survives_in(
        &[ExtractMode::Text],
        format!("{}{}", item.repeat(80), item.repeat(5_000).replace("<div class=content>", "")),
        None,
    );
    survives_in(
        &[ExtractMode::Text],
        item.repeat(80) + &"<li><a href=#x>y</a>, z".repeat(14_000),
        None,
    );
}

#[test]
fn k_38_a_tag_with_endless_attributes_ends_with_the_time() {
    let page: String =
        std::iter::once("<a ".to_owned()).chain((0..400_000).map(|n| format!("a{n} "))).collect();
    let limit = Instant::now() + Duration::from_secs(1);
    let read = read_page(&html(&url(), page.as_bytes()), ExtractMode::Text, 10, &|| {
        Instant::now() < limit
    });
    assert_eq!(read.unwrap_err(), PageError::Time);
    assert!(Instant::now() < limit + Duration::from_secs(5));
}

#[test]
fn k_38_a_feed_cannot_break_its_reader() {
    let read = |text: &str| {
        let body =
            Body { url: &url(), content_type: Some("application/rss+xml"), bytes: text.as_bytes() };
        read_feed(&body).map(|found| found.items.len())
    };
    let channel = |inner: &str| {
        format!(
            "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><item>\
             <title>t</title>{inner}</item></channel></rss>"
        )
    };
    let huge = "9".repeat(40);
    let digits = "&#57;".repeat(40);
    for inner in [
        format!("<itunes:duration>{huge}:00:00</itunes:duration>"),
        format!("<itunes:duration>{huge}</itunes:duration>"),
        format!("<itunes:duration><x>{digits}</x></itunes:duration>"),
        format!("<duration xmlns='http://www.itunes.com/dtds/podcast-1.0.dtd'>{huge}</duration>"),
        format!("<media:thumbnail url='https://e.org/a.png' time='{huge}:00:00'/>"),
        format!("<media:thumbnail url='https://e.org/a.png' time='{digits}'/>"),
        format!("<media:text start='{huge}' end='{huge}'>x</media:text>"),
        format!("<media:content url='https://e.org/a.mp4' duration='{huge}'/>"),
    ] {
        assert_eq!(read(&channel(&inner)), Ok(1), "{inner}");
    }
    assert!(read(&channel(&"<a>".repeat(100_000))).is_err());
    assert!(read("<rss version='2.0'><channel><item><title>cut off").is_err());
    let bomb = "<!DOCTYPE a [<!ENTITY x 'xx'><!ENTITY y '&x;&x;'>]><rss version='2.0'><channel><item><title>&y;</title></item></channel></rss>";
    assert_eq!(read(bomb), Ok(1), "entities are not expanded");
    let many = format!(
        "<rss version='2.0'><channel>{}</channel></rss>",
        "<item><title>t</title></item>".repeat(5_000)
    );
    assert_eq!(read(&many), Ok(2_000));
}

fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "<(a|b|p|div|table|tr|td|li|ul|select|option|template|svg|math|script|style|title|h1|h2|form|frameset|head|body|base|meta|pre|code|img|br)( (href|src|class|data-x|content|name)=['\"]?[a-z/:#?.]{0,6}['\"]?)?/?>",
        "</(a|b|p|div|table|tr|td|li|ul|select|template|svg|math|script|style|title|h1|form|body|html|br|pre)>",
        "[a-z &;#<>\"'\u{0}\u{e9}\u{1F600}|*_`\\[\\]()]{0,12}",
        "<!(doctype html|--|\\[CDATA\\[)[a-z>-]{0,6}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn f_046_any_markup_is_read(page in markup()) {
        let body = html(&url(), page.as_bytes()).url.clone();
        for mode in [ExtractMode::Text, ExtractMode::Markdown, ExtractMode::Structured] {
            prop_assert!(read_page(&html(&body, page.as_bytes()), mode, 200, &|| true).is_ok());
        }
        prop_assert!(read_records(&anything(), &html(&body, page.as_bytes()), 10, &|| true).is_ok());
    }

    #[test]
    fn f_046_any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400), kind in 0..4_usize) {
        let content_type = [None, Some("text/html"), Some("application/json"), Some("text/plain; charset=utf-16")][kind];
        let body = Body { url: &url(), content_type, bytes: &bytes };
        let _ = (read_page(&body, ExtractMode::Structured, 50, &|| true), read_feed(&body));
    }

    #[test]
    fn f_101_any_feed_is_read_or_refused(inner in "(</?(item|title|link|guid|pubDate|media:content|media:thumbnail|itunes:duration|content:encoded|category|author)( (url|time|duration|isPermaLink|href)='[0-9a-z:.]{0,25}')?/?>|[a-z0-9:&;<]{0,12}|<!\\[CDATA\\[[a-z<>]{0,6}\\]\\]>){0,20}", kind in 0..3_usize) {
        let text = match kind {
            0 => format!("<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel>{inner}</channel></rss>"),
            1 => format!("<feed xmlns='http://www.w3.org/2005/Atom'><entry>{inner}</entry></feed>"),
            _ => format!("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>{inner}</rdf:RDF>"),
        };
        let _ = read_feed(&Body { url: &url(), content_type: None, bytes: text.as_bytes() });
    }
}
