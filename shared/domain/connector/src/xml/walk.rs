//! The pass over the document.

use std::io::Read;

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::collect::Collector;
use super::decode::Transcoder;
use super::error::XmlError;
use super::problem;
use super::targets::Targets;
use super::{Extraction, Limits};
use crate::model::ParseRules;
use crate::xpath::{Anchor, XPath};

pub(super) fn walk(
    rules: &ParseRules,
    source: impl Read,
    limits: &Limits,
) -> Result<Extraction, XmlError> {
    let targets = Targets::new(rules);
    let reader =
        Reader::from_reader(Transcoder::new(source, limits.max_bytes, limits.max_token_bytes));
    let mut walk = Walk {
        reader,
        rules,
        limits,
        collector: Collector::new(&targets),
        names: Names::default(),
        elements: 0,
        document_element: None,
    };
    walk.run()?;
    walk.finish()
}

struct Walk<'r, 't, R: Read> {
    reader: Reader<Transcoder<R>>,
    rules: &'r ParseRules,
    limits: &'r Limits,
    collector: Collector<'t>,
    names: Names,
    elements: u64,
    document_element: Option<String>,
}

impl<R: Read> Walk<'_, '_, R> {
    fn run(&mut self) -> Result<(), XmlError> {
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            self.reader.get_mut().next_token();
            let event = match self.reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(error) => return Err(self.explain(&error)),
            };
            match event {
                Event::Eof => return self.end_of_file(),
                Event::Start(tag) => self.start(&tag)?,
                Event::Empty(tag) => {
                    self.start(&tag)?;
                    self.end();
                }
                Event::End(_) => self.end(),
                Event::Text(text) => self.text(&text)?,
                Event::CData(text) => self.text(&text)?,
                Event::GeneralRef(reference) => self.reference(&reference)?,
                Event::DocType(_) => return Err(XmlError::Doctype { place: self.place() }),
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            }
        }
    }

    fn place(&mut self) -> super::Place {
        self.reader.get_mut().place()
    }

    fn bound(&mut self, value: u64, limit: u64, what: &'static str) -> Result<(), XmlError> {
        if value > limit {
            Err(XmlError::Limit { place: self.place(), what: what.into(), limit })
        } else {
            Ok(())
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), XmlError> {
        let local = tag.local_name();
        if self.names.is_empty() {
            self.document_starts(local.as_ref())?;
        }
        self.names.push(local.as_ref());
        self.elements += 1;
        self.bound(self.elements, self.limits.max_elements, "elements")?;
        self.bound(
            self.names.as_slice().len() as u64,
            self.limits.max_depth,
            "elements inside each other",
        )?;
        let attributes = self.attributes(tag)?;
        let find = |name: &str| {
            attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
        };
        self.collector.start(self.names.as_slice(), find);
        self.bound(self.collector.record_count() as u64, self.limits.max_records, "records")
    }

    /// The attributes by local name, checked even when nobody asks for them.
    fn attributes(&mut self, tag: &BytesStart<'_>) -> Result<Vec<(String, String)>, XmlError> {
        let mut all = Vec::new();
        for attribute in tag.attributes() {
            self.bound(
                all.len() as u64 + 1,
                self.limits.max_attributes,
                "attributes of one element",
            )?;
            let malformed = |problem: String, place| XmlError::Malformed { place, problem };
            let attribute = attribute.map_err(|error| {
                malformed(problem::of_attribute(&error).to_owned(), self.reader.get_mut().place())
            })?;
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(
                |error| {
                    malformed(problem::of_value(&error).to_owned(), self.reader.get_mut().place())
                },
            )?;
            all.push((attribute.key.local_name().as_ref().to_owned(), value.into_owned()));
        }
        Ok(all)
    }

    fn document_starts(&mut self, name: &str) -> Result<(), XmlError> {
        if self.document_element.is_some() {
            let problem = format!("a second document element `{name}`");
            return Err(XmlError::Malformed { place: self.place(), problem });
        }
        self.document_element = Some(name.to_owned());
        match &self.rules.root_element {
            Some(root) if !may_start_with(root, name) => Err(XmlError::WrongDocument {
                found: name.to_owned(),
                expected: document_elements(root),
            }),
            _ => Ok(()),
        }
    }

    fn end(&mut self) {
        self.collector.end(self.names.as_slice().len());
        self.names.pop();
    }

    fn text(&mut self, text: &str) -> Result<(), XmlError> {
        if self.names.is_empty() {
            let found: String = text.trim().chars().take(16).filter(|c| !c.is_control()).collect();
            return if text.trim().is_empty() {
                Ok(())
            } else {
                Err(XmlError::NotXml { place: self.place(), found })
            };
        }
        self.collector.text(text);
        self.bound(
            self.collector.open_bytes() as u64,
            self.limits.max_token_bytes,
            "bytes in one value",
        )?;
        self.bound(self.collector.kept_bytes(), self.limits.max_kept_bytes, "bytes of values")
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), XmlError> {
        let refused =
            |place| XmlError::Entity { place, name: reference.chars().take(40).collect() };
        let Ok(character) = reference.resolve_char_ref() else { return Err(refused(self.place())) };
        if let Some(character) = character {
            return self.text(character.encode_utf8(&mut [0; 4]));
        }
        match quick_xml::escape::resolve_xml_entity(reference) {
            Some(text) => self.text(text),
            None => Err(refused(self.place())),
        }
    }

    fn end_of_file(&mut self) -> Result<(), XmlError> {
        match self.names.as_slice().last() {
            Some(open) => Err(XmlError::Truncated {
                open: format!(
                    "`{open}` and {} elements around it are not closed",
                    self.names.as_slice().len() - 1
                ),
                place: self.place(),
            }),
            None if self.document_element.is_none() => Err(XmlError::Empty),
            None => Ok(()),
        }
    }

    fn explain(&mut self, error: &Error) -> XmlError {
        let place = self.place();
        match error {
            Error::Io(error) => {
                match error.get_ref().and_then(|inner| inner.downcast_ref::<XmlError>()) {
                    Some(error) => error.clone(),
                    None => XmlError::Source(error.to_string()),
                }
            }
            Error::Syntax(SyntaxError::InvalidBangMarkup) => {
                XmlError::Malformed { place, problem: "unknown markup after `<!`".to_owned() }
            }
            Error::Syntax(error) => XmlError::Truncated { place, open: error.to_string() },
            Error::IllFormed(IllFormedError::MissingEndTag(name)) => {
                XmlError::Truncated { place, open: format!("`{name}` is not closed") }
            }
            error => XmlError::Malformed { place, problem: problem::of_markup(error) },
        }
    }

    fn finish(mut self) -> Result<Extraction, XmlError> {
        let bytes = self.reader.get_mut().bytes_read();
        if let (Some(root), None, false) =
            (&self.rules.root_element, &self.rules.list_element, self.collector.root_seen())
        {
            return Err(XmlError::RootMissing { expected: root.to_string() });
        }
        self.bound(
            self.collector.carried_bytes(),
            self.limits.max_carried_bytes,
            "bytes of the document's values on its records",
        )?;
        let (records, warnings, more_warnings) = self.collector.finish(self.rules);
        Ok(Extraction {
            records,
            warnings,
            more_warnings,
            document_element: self.document_element.unwrap_or_default(),
            bytes,
        })
    }
}

/// Whether a document of this element can hold the root.
fn may_start_with(root: &XPath, name: &str) -> bool {
    root.alternatives().iter().any(|alternative| match alternative.anchor {
        Anchor::Anywhere | Anchor::Below => true,
        Anchor::Root | Anchor::Child => {
            alternative.steps.first().is_some_and(|step| step == "*" || step == name)
        }
    })
}

/// The elements a document may be that holds the root.
fn document_elements(root: &XPath) -> String {
    let mut names: Vec<String> = Vec::new();
    for first in root.alternatives().iter().filter_map(|alternative| alternative.steps.first()) {
        let name = format!("`{first}`");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" or ")
}

/// The names of the open elements; their memory is used again.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    open: usize,
}

impl Names {
    fn push(&mut self, name: &str) {
        match self.all.get_mut(self.open) {
            Some(place) => {
                place.clear();
                place.push_str(name);
            }
            None => self.all.push(name.to_owned()),
        }
        self.open += 1;
    }

    fn pop(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    fn as_slice(&self) -> &[String] {
        &self.all[..self.open]
    }

    fn is_empty(&self) -> bool {
        self.open == 0
    }
}
