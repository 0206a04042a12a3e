//! Taking the keys of a mapping one by one.

use countersign_registry::nearest;

use crate::diagnostic::Code;
use crate::node::{Node, Text, Yaml};
use crate::sink::{Sink, Spot};

/// The longest text of a setting, in bytes.
const MAX_TEXT: usize = 20_000;

/// The keys of one mapping. What is not taken is unknown.
pub(crate) struct Fields<'n> {
    entries: &'n [(Text, Node)],
    taken: Vec<&'static str>,
    /// Where the mapping is pointed at when a key is missing.
    pub(crate) spot: Spot,
    prefix: String,
}

impl<'n> Fields<'n> {
    /// The keys of `node`; reports when it is not a mapping.
    pub(crate) fn of(node: &'n Node, prefix: &str, sink: &mut Sink<'_>) -> Option<Self> {
        let Yaml::Map(entries) = &node.yaml else {
            sink.report(
                Code::WrongShape,
                node.spot,
                prefix,
                format!("expected a mapping, found {}", node.kind()),
            );
            return None;
        };
        let spot = entries.first().map_or(node.spot, |(key, _)| key.spot);
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}.") };
        Some(Self { entries, taken: Vec::new(), spot, prefix })
    }

    /// The field's path, for reports.
    pub(crate) fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// The value of a key, unless it is null.
    pub(crate) fn node(&mut self, key: &'static str) -> Option<&'n Node> {
        self.entry(key).map(|(_, node)| node).filter(|node| !matches!(node.yaml, Yaml::Null))
    }

    /// A key and its value, null included.
    pub(crate) fn entry(&mut self, key: &'static str) -> Option<(&'n Text, &'n Node)> {
        self.taken.push(key);
        self.entries.iter().find(|(k, _)| k.text == key).map(|(key, node)| (key, node))
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Option<Text> {
        let node = self.node(key)?;
        match &node.yaml {
            Yaml::Text(text) if text.len() > MAX_TEXT => {
                sink.report(
                    Code::OutOfRange,
                    node.spot,
                    &self.path(key),
                    format!("`{key}` is longer than {MAX_TEXT} bytes"),
                );
                None
            }
            Yaml::Text(text) => Some(Text { text: text.clone(), spot: node.spot }),
            _ => {
                let problem = self.wrong(key, node, "a text", sink);
                let quote = matches!(node.yaml, Yaml::Number(_) | Yaml::Bool(_));
                let written = sink.lines.written(node.spot);
                sink.push(
                    problem.maybe_hint(quote.then(|| format!("put it in quotes: \"{written}\""))),
                );
                None
            }
        }
    }

    /// A text that must be there.
    pub(crate) fn required(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Option<Text> {
        if self.node(key).is_none() {
            self.missing(key, sink);
        }
        self.text(key, sink).filter(|text| {
            let empty = text.text.trim().is_empty();
            if empty {
                sink.report(
                    Code::MissingKey,
                    text.spot,
                    &self.path(key),
                    format!("`{key}` is empty"),
                );
            }
            !empty
        })
    }

    /// Reports a key that must be there.
    pub(crate) fn missing(&self, key: &str, sink: &mut Sink<'_>) {
        let likely =
            self.entries.iter().map(|(k, _)| k.text.as_str()).filter(|k| !self.taken.contains(k));
        let likely =
            nearest(key, likely).map(|likely| format!("is `{likely}` meant to be `{key}`?"));
        let problem = sink.problem(
            Code::MissingKey,
            self.spot,
            &self.path(key),
            format!("`{key}` is missing"),
        );
        sink.push(problem.maybe_hint(likely));
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        sink: &mut Sink<'_>,
    ) -> Option<T> {
        let text = self.text(key, sink)?;
        let found = choices.iter().find(|(word, _)| *word == text.text).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            not_a_choice(key, &self.path(key), &text, &words, sink);
        }
        found
    }

    /// A boolean.
    pub(crate) fn flag(&mut self, key: &'static str, default: bool, sink: &mut Sink<'_>) -> bool {
        match self.node(key) {
            None => default,
            Some(Node { yaml: Yaml::Bool(flag), .. }) => *flag,
            Some(node) => {
                let problem = self.wrong(key, node, "true or false", sink);
                sink.push(problem);
                default
            }
        }
    }

    /// A whole number in a range.
    pub(crate) fn integer(
        &mut self,
        key: &'static str,
        range: std::ops::RangeInclusive<i64>,
        sink: &mut Sink<'_>,
    ) -> Option<i64> {
        let node = self.node(key)?;
        let number = match &node.yaml {
            Yaml::Number(number) => number.as_i64(),
            _ => None,
        };
        let fits = number.filter(|number| range.contains(number));
        if fits.is_none() {
            let (low, high) = (range.start(), range.end());
            let code = if matches!(node.yaml, Yaml::Number(_)) {
                Code::OutOfRange
            } else {
                Code::WrongShape
            };
            let found = sink.lines.written(node.spot);
            let found = if found.len() <= 40 && number.is_some() {
                format!("`{found}`")
            } else {
                node.kind().to_owned()
            };
            sink.report(
                code,
                node.spot,
                &self.path(key),
                format!("`{key}` is a whole number from {low} to {high}, found {found}"),
            );
        }
        fits
    }

    /// A list; a single value that is not a list is reported.
    pub(crate) fn list(
        &mut self,
        key: &'static str,
        most: usize,
        sink: &mut Sink<'_>,
    ) -> &'n [Node] {
        let Some(node) = self.node(key) else { return &[] };
        match &node.yaml {
            Yaml::List(items) if items.len() > most => {
                sink.report(
                    Code::OutOfRange,
                    node.spot,
                    &self.path(key),
                    format!("`{key}` has {} entries, more than {most}", items.len()),
                );
                &items[..most]
            }
            Yaml::List(items) => items,
            _ => {
                let problem = self.wrong(key, node, "a list", sink);
                sink.push(problem.hint("start each entry on its own line with `- `"));
                &[]
            }
        }
    }

    /// A list of texts.
    pub(crate) fn texts(
        &mut self,
        key: &'static str,
        most: usize,
        sink: &mut Sink<'_>,
    ) -> Vec<Text> {
        let items = self.list(key, most, sink);
        let mut texts = Vec::new();
        for item in items {
            match &item.yaml {
                Yaml::Text(text) => texts.push(Text { text: text.clone(), spot: item.spot }),
                _ => sink.report(
                    Code::WrongShape,
                    item.spot,
                    &self.path(key),
                    format!("expected a text, found {}", item.kind()),
                ),
            }
        }
        texts
    }

    /// The entries of a mapping.
    pub(crate) fn map(&mut self, key: &'static str, sink: &mut Sink<'_>) -> Vec<(Text, Node)> {
        let Some(node) = self.node(key) else { return Vec::new() };
        if let Yaml::Map(entries) = &node.yaml {
            return entries.clone();
        }
        let problem = self.wrong(key, node, "a mapping", sink);
        sink.push(problem.hint(format!("write `{key}:` and below it, indented, `name: value`")));
        Vec::new()
    }

    /// Reports the keys that nobody asked for.
    pub(crate) fn finish(self, sink: &mut Sink<'_>) {
        self.report_unknown(&|_| None, sink);
    }

    /// The same, with an explanation for keys that belong to something else.
    pub(crate) fn report_unknown(
        &self,
        elsewhere: &dyn Fn(&str) -> Option<String>,
        sink: &mut Sink<'_>,
    ) {
        for (key, _) in
            self.entries.iter().filter(|(key, _)| !self.taken.contains(&key.text.as_str()))
        {
            if sink.is_full() {
                return;
            }
            let shown: String = key.text.chars().take(60).collect();
            let likely = nearest(&key.text, self.taken.iter().copied())
                .map(|likely| format!("did you mean `{likely}`?"));
            let hint = elsewhere(&key.text).or(likely);
            let path = self.path(&shown);
            let problem =
                sink.problem(Code::UnknownKey, key.spot, &path, format!("unknown key `{shown}`"));
            sink.push(problem.maybe_hint(hint));
        }
    }

    fn wrong(&self, key: &str, node: &Node, expected: &str, sink: &Sink<'_>) -> crate::Diagnostic {
        let message = format!("`{key}` is {expected}, found {}", node.kind());
        sink.problem(Code::WrongShape, node.spot, &self.path(key), message)
    }
}

/// Reports a word that is none of those allowed.
pub(crate) fn not_a_choice(
    key: &str,
    path: &str,
    text: &Text,
    words: &[&str],
    sink: &mut Sink<'_>,
) {
    let shown: String = text.text.chars().take(60).collect();
    let all = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let likely = nearest(&text.text, words.iter().copied())
        .map(|likely| format!("did you mean `{likely}`?"));
    let problem = sink.problem(
        Code::NotAChoice,
        text.spot,
        path,
        format!("`{key}` is one of {all}, found `{shown}`"),
    );
    sink.push(problem.maybe_hint(likely));
}
