//! Calling an `rss_feed` (F-101): what is new in several feeds, newest first, each item once.

use std::collections::{HashMap, HashSet};

use countersign_connector::request::public_address;
use countersign_connector::{FEEDS_FAILED, Feed, FeedConnection, FeedOperation};
use countersign_http_out::Call as HttpCall;
use countersign_pages::{Body, FeedItems, Item, Missed, PageError};
use countersign_reader::Readers;
use countersign_registry::Warnings;
use countersign_registry::action::Call;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use url::Url;

use crate::binding::Resolved;
use crate::calling::{Caller, arguments};
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::multi_source::Sources;
use crate::output::{Limit, Origin, shaped, stamp};

/// The largest feed read.
const MAX_FEED: u64 = 10 * 1024 * 1024;
/// Feeds read at the same time.
const AT_ONCE: usize = 4;
/// The longest time to look back: ten years.
const MAX_HOURS: f64 = 87_600.0;

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &FeedConnection,
) -> Result<Value, ConnectError> {
    let arguments = arguments(call, resolved)?;
    let feeds = chosen(connection, arguments.get(FeedOperation::FEED_NAME))?;
    let since = since(call.now, arguments.get(FeedOperation::SINCE_HOURS))?;
    let places = Sources::open(deps, call, resolved, connection.timeout_seconds).await?;
    let reading: Vec<_> = feeds.iter().map(|feed| read(&deps.readers, &places, feed)).collect();
    let outcomes: Vec<_> = futures::stream::iter(reading).buffered(AT_ONCE).collect().await;
    places.finish().await;
    let mut gathered = Gathered::default();
    for (feed, outcome) in feeds.iter().zip(outcomes) {
        gathered.add(feed, outcome);
    }
    gathered.all_failed(feeds.len())?;
    let most = connection.max_items_per_poll as usize;
    let (found, has_more) = recent(gathered.items, since, most);
    let records = found.into_iter().map(|found| record(found, resolved, call)).collect();
    let limit =
        Limit { of: "item", key: "max_items_per_poll", most, goes_on: false, is_fixed: false };
    let limit = has_more.then_some(limit);
    let (mut output, missing) = shaped(&resolved.endpoint, records, has_more, limit);
    let mut warnings: Warnings = missing.into_iter().collect();
    warnings.append(gathered.warnings);
    output.insert("_has_more".to_owned(), has_more.into());
    output.insert(FEEDS_FAILED.to_owned(), gathered.unread.into());
    warnings.write(&mut output);
    Ok(output.into())
}

/// One feed by its name, or all.
fn chosen<'f>(
    connection: &'f FeedConnection,
    name: Option<&Value>,
) -> Result<Vec<&'f Feed>, ConnectError> {
    let name = match name {
        None | Some(Value::Null) => "all",
        Some(Value::String(name)) => name.trim(),
        Some(_) => {
            return Err(ConnectError::Argument("the input `feed_name` must be a text".to_owned()));
        }
    };
    if name.is_empty() || name.eq_ignore_ascii_case("all") {
        return Ok(connection.feeds.iter().collect());
    }
    match connection.feeds.iter().find(|feed| feed.name.eq_ignore_ascii_case(name)) {
        Some(feed) => Ok(vec![feed]),
        None => {
            let names: Vec<&str> = connection.feeds.iter().map(|feed| feed.name.as_str()).collect();
            let shown: String = name.chars().take(100).collect();
            Err(ConnectError::Argument(format!(
                "there is no feed `{shown}`; known: {}",
                names.join(", ")
            )))
        }
    }
}

fn since(now: Timestamp, hours: Option<&Value>) -> Result<Timestamp, ConnectError> {
    let hours = hours.and_then(Value::as_f64).filter(|hours| (0.0..=MAX_HOURS).contains(hours));
    let back = hours.and_then(|hours| SignedDuration::try_from_secs_f64(hours * 3_600.0).ok());
    back.and_then(|back| now.checked_sub(back).ok()).ok_or_else(|| {
        ConnectError::Argument(
            "the input `since_hours` must be a number from 0 to 87600".to_owned(),
        )
    })
}

/// Reads one feed unless it rests.
fn read<'r>(
    readers: &'r Readers,
    places: &'r Sources<'_>,
    feed: &'r Feed,
) -> BoxFuture<'r, Result<FeedItems, ConnectError>> {
    Box::pin(async move {
        let url = Url::parse(&feed.url).map_err(|_| ConnectError::NotASource(feed.name.clone()))?;
        // A query may hold a key; two feeds that differ in it only differ in their names.
        let place = format!("{} {}", feed.name, public_address(&url));
        places.read(&feed.name, &place, |caller| fetched(readers, caller, url)).await
    })
}

async fn fetched(
    readers: &Readers,
    caller: Caller<'_>,
    url: Url,
) -> Result<FeedItems, ConnectError> {
    let accept = "application/rss+xml, application/atom+xml, application/feed+json, \
                      application/xml;q=0.9, text/xml;q=0.8, application/json;q=0.7";
    let http = HttpCall {
        headers: vec![("accept".to_owned(), accept.to_owned())],
        max_bytes: MAX_FEED,
        ..HttpCall::get(url)
    };
    let answer = caller.send(&http, false).await?;
    let body =
        Body { url: &answer.url, content_type: answer.header("content-type"), bytes: &answer.body };
    let items = readers.feed(&body, Instant::now() + caller.left()).await;
    if matches!(items, Err(PageError::Feed(_))) {
        caller.malformed();
    }
    Ok(items?)
}

/// What all feeds gave.
#[derive(Default)]
struct Gathered<'f> {
    items: Vec<(&'f Feed, Item)>,
    warnings: Warnings,
    /// How many feeds are missing from the answer.
    unread: u64,
    failed: Vec<ConnectError>,
}

impl<'f> Gathered<'f> {
    fn add(&mut self, feed: &'f Feed, outcome: Result<FeedItems, ConnectError>) {
        match outcome {
            Ok(FeedItems { items, missed }) => {
                self.items.extend(items.into_iter().map(|item| (feed, item)));
                missing(feed, missed).for_each(|warning| self.warnings.push(warning));
            }
            // F-311: an answer that is not a feed is said, and empty.
            Err(error @ ConnectError::Page(PageError::Feed(_))) => {
                tracing::warn!(feed = feed.name, %error, "an answer was not as expected");
                self.unread += 1;
                self.warnings
                    .push(format!("the feed `{}` was not as expected: {error}", feed.name));
            }
            Err(error) => {
                self.warnings.push(format!("the feed `{}` could not be read: {error}", feed.name));
                self.unread += 1;
                self.failed.push(error);
            }
        }
    }

    /// One of several feeds that fails is a warning; all of them are an error.
    fn all_failed(&mut self, count: usize) -> Result<(), ConnectError> {
        if self.failed.len() < count || self.failed.is_empty() {
            return Ok(());
        }
        let first = self.failed.swap_remove(0);
        if count == 1 {
            return Err(first);
        }
        Err(ConnectError::NoFeed { count, first: Box::new(first) })
    }
}

/// F-311: what an item does not say of itself, and items nobody looked at.
fn missing(feed: &Feed, missed: Missed) -> impl Iterator<Item = String> {
    let Missed { dates, items } = missed;
    let name = &feed.name;
    let dates = (dates > 0).then(|| {
        format!(
            "the feed `{name}`: the dates of {dates} items could not be read, and they count as new"
        )
    });
    let items = (items > 0)
        .then(|| format!("the feed `{name}` has {items} more items, which were not looked at"));
    dates.into_iter().chain(items)
}

struct Found<'f> {
    feed: &'f Feed,
    id: String,
    item: Item,
}

/// The items since a time, newest first, each once, and whether there were more than `most`. Items without a date are
/// kept, behind the others: nobody can say that they are old.
fn recent(items: Vec<(&Feed, Item)>, since: Timestamp, most: usize) -> (Vec<Found<'_>>, bool) {
    let shared = shared(&items);
    let mut ids = HashSet::new();
    let mut told: HashMap<Said, &str> = HashMap::new();
    let mut found: Vec<Found<'_>> = Vec::new();
    for (feed, item) in items {
        if item.published.is_some_and(|published| published < since) {
            continue;
        }
        let mut id = identity(feed, &item);
        if shared.contains(&id) {
            id = format!("{id}#{}", fingerprint(&item));
        }
        // The same article in another feed; in one feed, two items may well share a page.
        let is_elsewhere = *told.entry(said(&item)).or_insert(feed.name.as_str()) != feed.name;
        if is_elsewhere || !ids.insert(id.clone()) {
            continue;
        }
        found.push(Found { feed, id, item });
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.item.published));
    let more = found.len() > most;
    found.truncate(most);
    (found, more)
}

/// The ids that are only the address of a page which several items of a feed name, and say different things of: they do not
/// tell these items apart.
fn shared(items: &[(&Feed, Item)]) -> HashSet<String> {
    let mut said_under: HashMap<String, Said> = HashMap::new();
    let mut shared = HashSet::new();
    for (feed, item) in items.iter().filter(|(_, item)| item.link.as_ref() == Some(&item.id)) {
        let id = identity(feed, item);
        if *said_under.entry(id.clone()).or_insert_with(|| said(item)) != said(item) {
            shared.insert(id);
        }
    }
    shared
}

fn fingerprint(item: &Item) -> String {
    let (link, texts, published) = said(item);
    let said = json!([link, texts, published.map(|time| time.to_string())]);
    hex::encode(&Sha256::digest(said.to_string())[..8])
}

/// What an item says, without the id that its feed gives it.
type Said = (Option<String>, [String; 4], Option<Timestamp>);

/// Only an item that says the same stands for one of another feed. An id or an address alone is what any feed may write, and would
/// hide what the other has under it.
fn said(item: &Item) -> Said {
    let Item { link, title, summary, category, author, published, id: _ } = item;
    (link.clone(), [title, summary, category, author].map(Clone::clone), *published)
}

/// An id means something in its own feed only, for the same reason. A `/` in the name would be taken for the one before the id.
fn identity(feed: &Feed, item: &Item) -> String {
    format!("{}/{}", feed.name.replace('%', "%25").replace('/', "%2F"), item.id)
}

fn record(found: Found<'_>, resolved: &Resolved, call: &Call) -> Map<String, Value> {
    let Found { feed, id, item } = found;
    let mut record = Map::new();
    for (name, value) in [
        ("title", item.title.into()),
        ("summary", item.summary.into()),
        ("published", json!(item.published.map(|time| time.to_string()))),
        ("link", json!(item.link)),
        ("category", item.category.into()),
        ("author", item.author.into()),
        ("feed", feed.name.as_str().into()),
        ("_item_id", id.into()),
    ] {
        record.insert(name.to_owned(), value);
    }
    let reference = Url::parse(&feed.url).map(|url| public_address(&url)).unwrap_or_default();
    stamp(&mut record, resolved, call, &Origin { reference: &reference, name: &feed.name });
    record
}
