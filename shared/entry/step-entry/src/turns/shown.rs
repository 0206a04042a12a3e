//! The addresses that a model was shown: it may have a page read at these, and at no other. An address that it makes up itself
//! could carry away what it has read, to whoever wrote a text that asks for it (K-44).

use std::collections::BTreeSet;

use countersign_plan::Tool;
use countersign_registry::Action as _;
use countersign_registry::action::ActionError;
use countersign_registry::actions::crawl_url::CrawlUrl;
use countersign_registry::actions::search_web::SearchWeb;
use countersign_registry::talk::{AskedTurn, ToolResult};
use countersign_run::ToolAsk;
use countersign_wiring::texts;
use serde_json::Value;

/// What may stand right before or behind an address in a text.
const AROUND: [char; 14] = ['"', '\'', '`', '<', '>', '(', ')', '[', ']', '{', '}', ',', '|', '\\'];

/// What ends the sentence that an address stands in.
const BEHIND: [char; 5] = ['.', ';', ':', '!', '?'];

/// The tools that read the web. Others may answer with what they were given, or with what a model wrote in an earlier run: an
/// address that a model made up would count as shown.
const OF_THE_WEB: [&str; 2] = [CrawlUrl::NAME, SearchWeb::NAME];

/// The addresses in what a step was given, and in what its tools found on the web. A call does not show an address that is among
/// its own arguments.
#[derive(Debug, Default)]
pub(crate) struct Shown(BTreeSet<String>);

impl Shown {
    /// `given` are the arguments of the step: its data and its task.
    pub(crate) fn of<'v>(given: impl IntoIterator<Item = &'v Value>, turns: &[AskedTurn]) -> Self {
        let mut shown = Self::default();
        given.into_iter().for_each(|value| shown.add(value));
        for (ask, result) in turns.iter().flat_map(|turn| &turn.asks) {
            if let ToolResult::Output(output) = result
                && OF_THE_WEB.contains(&ask.tool.as_str())
            {
                shown.0.extend(found(ask, output));
            }
        }
        shown
    }

    fn add(&mut self, value: &Value) {
        texts(value).into_iter().for_each(|text| self.add_text(text));
    }

    /// A text that is an address, and the addresses in one.
    fn add_text(&mut self, text: &str) {
        let alone = words(text).flat_map(|word| [word, word.trim_end_matches(BEHIND)]);
        let addresses = alone.chain([text.trim()]).filter(|word| is_address(word));
        self.0.extend(addresses.map(str::to_owned));
    }

    /// Why a page is not read, or a connector not called; none where every address was shown, and for every other tool.
    pub(crate) fn refused(&self, tool: &Tool, ask: &ToolAsk) -> Option<ActionError> {
        let given = ask.object()?;
        let is_shown = match &tool.endpoint {
            Some(_) => given.values().all(|value| self.has_all(value)),
            None if tool.action == CrawlUrl::NAME => self.0.contains(given.get("url")?.as_str()?),
            None => true,
        };
        let message =
            "the address is neither in the data nor in what was found on the web, word for word";
        (!is_shown).then(|| ActionError::terminal("TOOL_REFUSED", message))
    }

    /// Whether every address in an argument was shown.
    fn has_all(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.has_all_of(text),
            Value::Array(items) => items.iter().all(|item| self.has_all(item)),
            Value::Object(fields) => {
                fields.iter().all(|(name, field)| self.has_all(field) && self.has_all_of(name))
            }
            _ => true,
        }
    }

    /// A text that as a whole can be read as an address has to be one that was shown: a part of it may have been. In any other
    /// text each word that could be one.
    fn has_all_of(&self, text: &str) -> bool {
        let whole = text.trim();
        if self.0.contains(whole) {
            return true;
        }
        let is_shown =
            |word: &str| self.0.contains(word) || self.0.contains(word.trim_end_matches(BEHIND));
        !begins_address(whole) && words(text).all(|word| !may_be_address(word) || is_shown(word))
    }
}

/// The addresses in the output of a call, without those in its arguments.
fn found(ask: &ToolAsk, output: &Value) -> BTreeSet<String> {
    let (mut found, mut given) = (Shown::default(), Shown::default());
    found.add(output);
    ask.object().unwrap_or_default().values().for_each(|value| given.add(value));
    &found.0 - &given.0
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || AROUND.contains(&c))
}

/// Whether a word of an argument could be taken for an address: wider than what counts as one that was shown.
fn may_be_address(word: &str) -> bool {
    let plain = plain(word);
    plain.contains("//")
        || plain.starts_with("www.")
        || plain.contains("http:")
        || plain.contains("https:")
}

/// Whether a text begins as an address does, however what reads it may write one: without slashes, with other ones, with breaks
/// between them.
fn begins_address(text: &str) -> bool {
    let plain = plain(text);
    plain.starts_with("//") || plain.starts_with("http:") || plain.starts_with("https:")
}

fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let text = text.to_ascii_lowercase().replace('\\', "/");
    text.replace("%3a", ":").replace("%2f", "/").replace("%5c", "/")
}

fn is_address(word: &str) -> bool {
    word.starts_with("https://") || word.starts_with("http://")
}
