//! From YAML and JSON to a valid profile, with every problem at its place.

use std::borrow::Cow;

use countersign_document::{Document, Problem, Reading, Rules, Text, read, read_value, repeated};
use countersign_report::{MAX_DESTINATIONS, WrittenDestination};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::destination;
use crate::error::ProfileError;
use crate::handle::Handle;
use crate::inert;
use crate::spec::{Approver, Fields, ProfileSpec, Skill};

/// The fields as they are written.
pub type Written = Fields<Option<Handle>, WrittenDestination>;

/// The key that only a library's profile has.
const DATA_SOURCES: &str = "data_sources";

/// A profile as a file: its fields, and the connectors to bind when somebody makes an agent of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileFile {
    fields: Written,
    data_sources: Vec<Text<100>>,
}

impl ProfileFile {
    /// What the agent follows.
    #[must_use]
    pub fn skills(&self) -> &[Skill] {
        &self.fields.skills
    }

    /// The connectors to bind, by id.
    pub fn data_sources(&self) -> impl Iterator<Item = &str> {
        self.data_sources.iter().map(Text::as_str)
    }
}

/// A profile of the library: the spec and the connectors to bind when somebody makes an agent of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// The profile.
    pub spec: ProfileSpec,
    /// Ids of connectors.
    pub data_sources: Vec<String>,
}

impl Template {
    /// Reads the YAML form of the library: the JSON form of the API plus `data_sources`.
    ///
    /// # Errors
    /// [`ProfileError`] with every problem.
    pub fn from_yaml(text: &str) -> Result<Self, ProfileError> {
        let reading = read::<ProfileFile>(text);
        let ProfileFile { fields, data_sources } = checked(reading)?;
        let data_sources = data_sources.into_iter().map(String::from).collect();
        Ok(Self { spec: fields.complete()?, data_sources })
    }
}

impl ProfileSpec {
    /// Reads the JSON form. Fields that are left out take their defaults (F-168, F-172); only `name` is required, and a
    /// missing `handle` is made of it.
    ///
    /// # Errors
    /// [`ProfileError`] with every problem.
    pub fn from_json(value: &Value) -> Result<Self, ProfileError> {
        Self::read(value).map(|(spec, _)| spec)
    }

    /// The same with what may surprise in it.
    ///
    /// # Errors
    /// [`ProfileError`] with every problem.
    pub fn read(value: &Value) -> Result<(Self, Vec<Problem>), ProfileError> {
        let Reading { value, problems } = read_value::<Written>(value.clone());
        match value {
            Some(written) => Ok((written.complete()?, problems)),
            None => Err(ProfileError::of(bound_apart(problems))),
        }
    }
}

/// Only files have `data_sources`: of an agent that is stored they are bound one by one, with their credentials.
fn bound_apart(mut problems: Vec<Problem>) -> Vec<Problem> {
    for problem in problems.iter_mut().filter(|problem| problem.pointer == "/data_sources") {
        let hint = "bind each with `POST /api/agent-factory/profiles/{id}/data-sources`";
        problem.hint = Some(hint.to_owned());
    }
    problems
}

fn checked<T>(reading: Reading<T>) -> Result<T, ProfileError> {
    reading.value.ok_or_else(|| ProfileError::of(reading.problems))
}

impl Written {
    /// The same with a handle. The rules have seen to it that one can be made.
    fn complete(self) -> Result<ProfileSpec, ProfileError> {
        let handle = self.handle.or_else(|| Handle::of_name(&self.name));
        Ok(Fields {
            handle: handle.ok_or(ProfileError::Invalid(Vec::new()))?,
            name: self.name,
            description: self.description,
            icon: self.icon,
            model_preference: self.model_preference,
            model_temperature: self.model_temperature,
            max_research_rounds: self.max_research_rounds,
            system_prompt_additions: self.system_prompt_additions,
            knowledge_config: self.knowledge_config,
            output_config: self.output_config.stored(),
            journal_config: self.journal_config,
            default_execution_mode: self.default_execution_mode,
            default_run_context: self.default_run_context,
            default_approval_policy: self.default_approval_policy,
            tool_packs: self.tool_packs,
            skills: self.skills,
            approvers: self.approvers,
        })
    }
}

impl Document for Written {
    const KIND: &'static str = "profile";

    fn rules(&self, rules: &mut Rules<'_>) {
        let can_be_made = self.handle.is_some() || Handle::of_name(&self.name).is_some();
        if !can_be_made && rules.is_sound("/name") && rules.is_sound("/handle") {
            let hint = "write one: lower-case letters and digits with single hyphens between them";
            let message = "no `handle` can be made of the name";
            rules.hinted("handle", "/handle", message, hint.to_owned());
        }
        inert::report(self, rules);
        approvers(&self.approvers, rules);
        if self.model_temperature.is_some() && self.model_preference.is_none() {
            let message = "`model_temperature` is that of `model_preference`, which is missing";
            let hint = "name the model, or leave it out".to_owned();
            rules.hinted("unavailable", "/model_temperature", message, hint);
        }
        rules.within("output_config", |rules| {
            rules.within("destinations", |rules| {
                let count = self.output_config.destinations.len();
                if count > MAX_DESTINATIONS {
                    let message = format!("a list has at most {MAX_DESTINATIONS} destinations, and this one has {count}");
                    rules.error("length", &format!("/{MAX_DESTINATIONS}"), message);
                }
                for (index, destination) in self.output_config.destinations.iter().enumerate() {
                    rules.within(index, |rules| {
                        destination::rules(destination, rules);
                        if destination.confirms() {
                            refuse_confirm(rules);
                        }
                    });
                }
            });
        });
    }
}

/// Whoever is named twice signs once.
fn approvers(named: &[Approver], rules: &mut Rules<'_>) {
    for (n, approver) in repeated(named) {
        let message = format!("`{approver}` is named already, and signs once");
        let hint = "name each person once".to_owned();
        rules.hinted("duplicate", &format!("/approvers/{n}"), message, hint);
    }
}

/// The end of a run asks nobody (K-62).
fn refuse_confirm(rules: &mut Rules<'_>) {
    let message = "when a run is over nobody can be asked any more";
    let hint = "put the destination into a `route_output` step of the playbook";
    rules.hinted("confirm", "/confirm", message, hint.to_owned());
}

impl Document for ProfileFile {
    const KIND: &'static str = Written::KIND;

    fn rules(&self, rules: &mut Rules<'_>) {
        self.fields.rules(rules);
    }
}

impl<'de> Deserialize<'de> for ProfileFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut map = Map::deserialize(deserializer)?;
        let sources = map.shift_remove(DATA_SOURCES).map(Deserialize::deserialize);
        let data_sources = sources.transpose().map_err(D::Error::custom)?.unwrap_or_default();
        let fields = Fields::deserialize(Value::Object(map)).map_err(D::Error::custom)?;
        Ok(Self { fields, data_sources })
    }
}

impl JsonSchema for ProfileFile {
    fn schema_name() -> Cow<'static, str> {
        Written::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Written::json_schema(generator);
        let mut sources = generator.subschema_for::<Vec<Text<100>>>();
        sources.insert("description".to_owned(), "Connectors to bind, by id.".into());
        if let Some(Value::Object(known)) = schema.get_mut("properties") {
            known.insert(DATA_SOURCES.to_owned(), sources.into());
        }
        schema
    }
}

#[cfg(test)]
mod tests;
