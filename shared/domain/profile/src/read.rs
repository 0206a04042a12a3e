//! From JSON and YAML to a valid spec, with every problem at its field path.

use countersign_journal::{DetailLevel, JournalConfig};
use countersign_report::Destination;
use countersign_report::fields::{Fields, Problem};
use countersign_run::RunContext;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ProfileError;
use crate::handle::Handle;
use crate::spec::{
    ApprovalPolicy, ExecutionMode, KnowledgeConfig, OutputConfig, ProfileSpec, Skill, SkillType,
};

/// Profiles are small; a larger text is something else.
const LONGEST_YAML: usize = 256 * 1024;

const MODES: [(&str, ExecutionMode); 3] = [
    ("deterministic", ExecutionMode::Deterministic),
    ("llm_augmented", ExecutionMode::LlmAugmented),
    ("hybrid", ExecutionMode::Hybrid),
];
const CONTEXTS: [(&str, RunContext); 4] = [
    ("interactive", RunContext::Interactive),
    ("background", RunContext::Background),
    ("scheduled", RunContext::Scheduled),
    ("monitor", RunContext::Monitor),
];
const POLICIES: [(&str, ApprovalPolicy); 2] =
    [("require", ApprovalPolicy::Require), ("auto_approve", ApprovalPolicy::AutoApprove)];
const LEVELS: [(&str, DetailLevel); 2] =
    [("summary", DetailLevel::Summary), ("detailed", DetailLevel::Detailed)];
const SKILL_TYPES: [(&str, SkillType); 2] =
    [("built_in", SkillType::BuiltIn), ("playbook", SkillType::Playbook)];

/// A profile of the library: the spec and the connectors to bind when somebody makes an agent of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// [`ProfileError::Yaml`] or [`ProfileError::Invalid`] with every problem.
    pub fn from_yaml(text: &str) -> Result<Self, ProfileError> {
        if text.len() > LONGEST_YAML {
            return Err(ProfileError::Yaml(format!("it has more than {LONGEST_YAML} bytes")));
        }
        let mut value: Value =
            serde_saphyr::from_str(text).map_err(|error| ProfileError::Yaml(error.to_string()))?;
        let sources = value
            .as_object_mut()
            .and_then(|map| map.shift_remove("data_sources"))
            .unwrap_or(Value::Null);
        let mut problems = Vec::new();
        let data_sources = source_names(&sources, &mut problems);
        let spec = spec(&value, &mut problems);
        spec.filter(|_| problems.is_empty())
            .map(|spec| Self { spec, data_sources })
            .ok_or(ProfileError::Invalid(problems))
    }
}

fn source_names(value: &Value, problems: &mut Vec<Problem>) -> Vec<String> {
    let wrapped: Value =
        Value::Object(Map::from_iter([("data_sources".to_owned(), value.clone())]));
    Fields::of(&wrapped, "", problems)
        .map(|mut fields| fields.texts("data_sources", 100, problems))
        .unwrap_or_default()
}

impl ProfileSpec {
    /// Reads the JSON form. Fields that are left out take their defaults (F-168, F-172); only `name` is required, and a
    /// missing `handle` is made of it.
    ///
    /// # Errors
    /// [`ProfileError::Invalid`] with every problem.
    pub fn from_json(value: &Value) -> Result<Self, ProfileError> {
        let mut problems = Vec::new();
        let spec = spec(value, &mut problems);
        spec.filter(|_| problems.is_empty()).ok_or(ProfileError::Invalid(problems))
    }
}

fn spec(value: &Value, problems: &mut Vec<Problem>) -> Option<ProfileSpec> {
    let mut fields = Fields::of(value, "", problems)?;
    let name = fields.required("name", 100, problems);
    let handle = handle(&mut fields, name.as_deref(), problems);
    let description = fields.text("description", 2_000, problems).unwrap_or_default();
    let icon = fields.text("icon", 16, problems);
    let model_preference = model(&mut fields, problems);
    let rounds = fields.whole("max_research_rounds", 1, 10, problems);
    let system_prompt_additions = fields.text("system_prompt_additions", 8_000, problems);
    let knowledge_config = knowledge(&mut fields, problems);
    let output_config = output(&mut fields, problems);
    let journal_config = journal(&mut fields, problems);
    let default_execution_mode =
        fields.choice("default_execution_mode", &MODES, problems).unwrap_or_default();
    let default_run_context = fields
        .choice("default_run_context", &CONTEXTS, problems)
        .unwrap_or(RunContext::Interactive);
    let default_approval_policy =
        fields.choice("default_approval_policy", &POLICIES, problems).unwrap_or_default();
    let tool_packs = fields.texts("tool_packs", 100, problems);
    let skills = skills(&mut fields, problems);
    let approvers = approvers(&mut fields, problems);
    fields.finish(problems);
    Some(ProfileSpec {
        name: name?,
        handle: handle?,
        description,
        icon,
        model_preference,
        max_research_rounds: rounds.and_then(|rounds| u8::try_from(rounds).ok()).unwrap_or(3),
        system_prompt_additions,
        knowledge_config,
        output_config,
        journal_config,
        default_execution_mode,
        default_run_context,
        default_approval_policy,
        tool_packs,
        skills,
        approvers,
    })
}

fn handle(
    fields: &mut Fields<'_>,
    name: Option<&str>,
    problems: &mut Vec<Problem>,
) -> Option<Handle> {
    let place = fields.place("handle");
    match fields.text("handle", 200, problems) {
        Some(text) => Handle::parse(&text)
            .map_err(|error| problems.push(Problem::new(place, error.to_string())))
            .ok(),
        None => {
            let made = name.and_then(Handle::of_name);
            if made.is_none() && name.is_some() {
                problems.push(Problem::new(place, "is required: none can be made of the name"));
            }
            made
        }
    }
}

fn model(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> Option<String> {
    let text = fields.text("model_preference", 200, problems)?;
    let fits = text
        .split_once('/')
        .is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty())
        && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    if !fits {
        problems.push(Problem::new(
            fields.place("model_preference"),
            "must be of the form `provider/model`",
        ));
    }
    fits.then_some(text)
}

/// An object among the fields; none when it is absent, and then its defaults hold.
fn nested<'a, T>(
    fields: &mut Fields<'a>,
    name: &'static str,
    problems: &mut Vec<Problem>,
    read: impl FnOnce(&mut Fields<'a>, &mut Vec<Problem>) -> T,
) -> Option<T> {
    let place = fields.place(name);
    let value = fields.value(name)?;
    let mut inner = Fields::of(value, &place, problems)?;
    let made = read(&mut inner, problems);
    inner.finish(problems);
    Some(made)
}

fn knowledge(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> KnowledgeConfig {
    let read = |inner: &mut Fields<'_>, problems: &mut Vec<Problem>| KnowledgeConfig {
        read_collections: inner.texts("read_collections", 100, problems),
        write_collection: inner.text("write_collection", 100, problems),
        graph_namespaces: inner.texts("graph_namespaces", 100, problems),
        auto_enrich: inner.flag("auto_enrich", problems).unwrap_or(false),
        entity_resolution: inner.flag("entity_resolution", problems).unwrap_or(false),
    };
    nested(fields, "knowledge_config", problems, read).unwrap_or_default()
}

fn output(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> OutputConfig {
    let read = |inner: &mut Fields<'_>, problems: &mut Vec<Problem>| {
        let place = inner.place("destinations");
        let destinations = inner.list("destinations", problems);
        OutputConfig {
            auto_enrich_graph: inner.flag("auto_enrich_graph", problems).unwrap_or(false),
            destinations: Destination::read_all(destinations, &place, problems),
        }
    };
    nested(fields, "output_config", problems, read).unwrap_or_default()
}

fn journal(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> JournalConfig {
    let usual = JournalConfig::default();
    let read = |inner: &mut Fields<'_>, problems: &mut Vec<Problem>| JournalConfig {
        auto_journal: inner.flag("auto_journal", problems).unwrap_or(usual.auto_journal),
        detail_level: inner.choice("detail_level", &LEVELS, problems).unwrap_or(usual.detail_level),
        retention_days: inner
            .whole("retention_days", 1, 3650, problems)
            .and_then(|days| u16::try_from(days).ok())
            .unwrap_or(usual.retention_days),
    };
    nested(fields, "journal_config", problems, read).unwrap_or_default()
}

fn skills(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> Vec<Skill> {
    let place = fields.place("skills");
    let numbered = fields.list("skills", problems).iter().enumerate();
    numbered
        .filter_map(|(index, value)| skill(value, &format!("{place}[{index}]"), problems))
        .collect()
}

fn skill(value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Skill> {
    let mut fields = Fields::of(value, path, problems)?;
    let before = problems.len();
    let skill_type = fields.choice("skill_type", &SKILL_TYPES, problems);
    if skill_type.is_none() && problems.len() == before {
        problems.push(Problem::new(fields.place("skill_type"), "is required"));
    }
    let reference = fields.required("reference", 100, problems);
    let priority = fields.whole("priority", -1_000, 1_000, problems).unwrap_or(0);
    let enabled = fields.flag("enabled", problems).unwrap_or(true);
    let parameters = match fields.value("parameters") {
        None => Map::new(),
        Some(Value::Object(map)) => map.clone(),
        Some(_) => {
            problems.push(Problem::new(fields.place("parameters"), "must be an object"));
            Map::new()
        }
    };
    fields.finish(problems);
    let priority = i32::try_from(priority).unwrap_or(0);
    Some(Skill { skill_type: skill_type?, reference: reference?, priority, parameters, enabled })
}

fn approvers(fields: &mut Fields<'_>, problems: &mut Vec<Problem>) -> Vec<String> {
    let names = fields.texts("approvers", 254, problems);
    for (index, name) in names.iter().enumerate() {
        if name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            let place = format!("{}[{index}]", fields.place("approvers"));
            problems
                .push(Problem::new(place, "must be a username or a mail address of the directory"));
        }
    }
    names
}

#[cfg(test)]
mod tests;
