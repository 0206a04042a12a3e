//! From quotations to the declared answer.

use countersign_registry::{DataType, Field, Shape};
use serde_json::{Map, Value, json};

use crate::passages::{Passage, passages};
use crate::question::{question, without};
use crate::rank::Ranked;
use crate::{ModelRequired, Task};

/// Quotations in a text, or below a heading.
const IN_A_TEXT: usize = 3;
/// Quotations in a list of texts.
const IN_A_LIST: usize = 5;
/// Records of a record set.
const MAX_RECORDS: usize = 10;
/// The field of a record that says where it was found.
const SOURCE: &str = "source";
/// The list of texts that says where the other texts were found.
const SOURCES: &str = "sources";
/// The text that sums up a conversation.
const SUMMARY: &str = "summary";

/// The answer, in the form of the task's schema; null, or an empty list, where the data hold nothing.
///
/// # Errors
/// [`ModelRequired`] when the schema asks for more than texts.
pub fn answer(task: &Task<'_>) -> Result<Value, ModelRequired> {
    let question = question(task.data);
    let found = match question {
        Some(question) => passages(&without(task.data, question)),
        None => passages(task.data),
    };
    let quotes = Quotes { task, question, ranked: Ranked::of(&found, question.is_some()) };
    match task.schema.shape {
        Shape::Object => quotes.record(&task.schema.fields),
        Shape::Scalar => quotes.record(&[task.schema.value()]),
        Shape::RecordSet => quotes.records(&task.schema.fields),
    }
}

struct Quotes<'t, 'p> {
    task: &'t Task<'t>,
    /// What is asked, when the data say it.
    question: Option<&'t str>,
    ranked: Ranked<'p>,
}

impl Quotes<'_, '_> {
    fn record(&self, fields: &[Field]) -> Result<Value, ModelRequired> {
        let texts = fields.iter().filter(|field| self.is_quoted(field, fields)).count();
        let value = |field: &Field| match &field.data_type {
            DataType::String if !self.is_quoted(field, fields) => Ok(Value::Null),
            DataType::String if texts == 1 => Ok(self.page(field)),
            DataType::String => Ok(self.text(&self.asked(field), IN_A_TEXT)),
            DataType::Array(item)
                if **item == DataType::String && field.name == SOURCES && texts > 0 =>
            {
                Ok(self.places(fields))
            }
            DataType::Array(item) if **item == DataType::String => {
                Ok(self.best(&self.asked(field), IN_A_LIST).map(Passage::cited).collect())
            }
            other => Err(not_text(field, other)),
        };
        let values = fields.iter().map(|field| Ok((field.name.clone(), value(field)?)));
        values.collect::<Result<Map<_, _>, _>>().map(Value::Object)
    }

    /// Where the quotations of the texts stand.
    fn places(&self, fields: &[Field]) -> Value {
        let texts: Vec<&Field> =
            fields.iter().filter(|field| self.is_quoted(field, fields)).collect();
        let quoted = texts.iter().flat_map(|field| match texts.as_slice() {
            [_] => self.asked_of_page(field),
            _ => vec![self.asked(field)],
        });
        let mut places: Vec<&str> = Vec::new();
        for passage in quoted.flat_map(|asked| self.ranked.best(&asked, IN_A_TEXT)) {
            if !places.contains(&passage.place.as_str()) {
                places.push(&passage.place);
            }
        }
        places.into()
    }

    /// One text a record, and its place.
    fn records(&self, fields: &[Field]) -> Result<Value, ModelRequired> {
        if let Some(field) = fields.iter().find(|field| field.data_type != DataType::String) {
            return Err(not_text(field, &field.data_type));
        }
        let of_text: Vec<&Field> = fields.iter().filter(|field| field.name != SOURCE).collect();
        let [text] = of_text.as_slice() else {
            let message = "a record may have one text, and a field `source`".to_owned();
            return Err(ModelRequired(message));
        };
        let with_source = fields.len() == 2;
        let record = |one: &Passage| {
            if with_source {
                json!({ &text.name: one.text, SOURCE: one.place })
            } else {
                json!({ &text.name: one.cited() })
            }
        };
        let results: Vec<Value> = self.best(&self.asked(text), MAX_RECORDS).map(record).collect();
        Ok(json!({ "results": results }))
    }

    fn best(&self, asked: &str, most: usize) -> impl Iterator<Item = &Passage> {
        self.ranked.best(asked, most).into_iter()
    }

    /// The only text of an answer follows the template's headings.
    fn page(&self, field: &Field) -> Value {
        let headings = self.headings();
        let asked = self.asked_of_page(field);
        if headings.is_empty() {
            return self.text(&asked.concat(), IN_A_TEXT);
        }
        let section = |(heading, asked): (&&str, &String)| {
            let quotes: Vec<String> =
                self.best(asked, IN_A_TEXT).map(|one| format!("- {}", one.cited())).collect();
            format!("{heading}\n\n{}", quotes.join("\n")).trim_end().to_owned()
        };
        headings.iter().zip(&asked).map(section).collect::<Vec<_>>().join("\n\n").into()
    }

    /// Whether a field holds quotations as one text. Nobody can quote what sums up a conversation, which is asked for beside the answer
    /// to a question.
    fn is_quoted(&self, field: &Field, fields: &[Field]) -> bool {
        let is_text = |field: &Field| field.data_type == DataType::String;
        let is_beside = |other: &Field| is_text(other) && other.name != SUMMARY;
        let sums_up = self.question.is_some() && field.name == SUMMARY;
        is_text(field) && !(sums_up && fields.iter().any(is_beside))
    }

    /// The words of each part of a page: of each heading, or of the field when there is none.
    fn asked_of_page(&self, field: &Field) -> Vec<String> {
        let headings = self.headings();
        if headings.is_empty() {
            return vec![self.asked(field)];
        }
        let about = self.question.or(self.task.instructions).unwrap_or_default();
        headings.iter().map(|heading| format!("{heading} {about}")).collect()
    }

    fn headings(&self) -> Vec<&str> {
        let lines = self.task.template.unwrap_or_default().lines().map(str::trim);
        lines
            .filter(|line| line.trim_start_matches('#').starts_with(' ') && line.starts_with('#'))
            .collect()
    }

    fn text(&self, asked: &str, most: usize) -> Value {
        let quotes: Vec<String> = self.best(asked, most).map(Passage::cited).collect();
        if quotes.is_empty() { Value::Null } else { quotes.join("\n").into() }
    }

    /// The words that say what a field is about: those of the question, where there is one.
    fn asked(&self, field: &Field) -> String {
        let name = field.name.replace('_', " ");
        let task = self.task;
        // What the platform tells other models of a question says nothing of what it is about.
        let about = self.question.or(task.instructions);
        let parts = [about, task.template, Some(&name), Some(&field.description)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

fn not_text(field: &Field, data_type: &DataType) -> ModelRequired {
    ModelRequired(format!("`{}` is of type {data_type}", field.name))
}
