//! What a profile looks like in the OpenAPI document. The domain reads and checks it; a test compares the two.

use std::borrow::Cow;
use std::marker::PhantomData;

use countersign_profile::Profile;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

/// What the owner of an agent writes. Only `name` is required.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProfileFields)]
pub(crate) struct Fields {
    /// Its name for people, 1 to 100 characters.
    name: String,
    /// What it is called by, kebab-case; made of the name when left out.
    handle: Option<String>,
    /// What it is for.
    description: Option<String>,
    /// One emoji or short text.
    icon: Option<String>,
    /// `provider/model`, when another than the deployment's is wanted.
    model_preference: Option<String>,
    /// How often a model may look again, 1 to 10.
    #[schema(minimum = 1, maximum = 10)]
    max_research_rounds: Option<u8>,
    /// What a model is told in addition.
    system_prompt_additions: Option<String>,
    /// `read_collections`, `write_collection`, `graph_namespaces`, `auto_enrich`, `entity_resolution`.
    #[schema(value_type = Option<Object>)]
    knowledge_config: Value,
    /// `auto_enrich_graph`, `destinations`.
    #[schema(value_type = Option<Object>)]
    output_config: Value,
    /// What is written down of its runs.
    #[schema(value_type = Option<Object>)]
    journal_config: Value,
    /// `deterministic`, `llm_augmented` or `hybrid`.
    default_execution_mode: Option<String>,
    /// `interactive`, `background`, `scheduled` or `monitor`.
    default_run_context: Option<String>,
    /// `require` or `auto_approve`.
    default_approval_policy: Option<String>,
    /// Sets of tools.
    tool_packs: Option<Vec<String>>,
    /// `skill_type` (`built_in` or `playbook`), `reference`, `priority`, `parameters`, `enabled`.
    #[schema(value_type = Option<Vec<Object>>)]
    skills: Value,
    /// User names or mail addresses of the directory that sign for it; the owner when empty.
    approvers: Option<Vec<String>>,
}

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Profile)]
pub(crate) struct Record {
    /// `prof_…`.
    id: String,
    /// Its owner; null for one the deployment ships.
    user_id: Option<String>,
    /// Whether it runs.
    is_active: bool,
    /// Raised by every change.
    version: u64,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it was last changed.
    #[schema(format = DateTime)]
    updated_at: String,
    #[serde(flatten)]
    fields: Fields,
}

/// What is sent: the domain reads and checks it; the document has it as a `T`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sent<T> {
    pub(super) body: Value,
    #[serde(skip)]
    documented: PhantomData<fn() -> T>,
}

impl<T: ToSchema> ToSchema for Sent<T> {
    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        T::schemas(schemas);
    }
}

impl<T: ToSchema> PartialSchema for Sent<T> {
    fn schema() -> RefOr<Schema> {
        T::schema()
    }
}

/// What is shown: a profile as it is stored.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Shown(pub(super) Profile);

impl From<&Profile> for Shown {
    fn from(profile: &Profile) -> Self {
        Self(profile.clone())
    }
}

impl ToSchema for Shown {
    fn name() -> Cow<'static, str> {
        Record::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Record::schemas(schemas);
    }
}

impl PartialSchema for Shown {
    fn schema() -> RefOr<Schema> {
        Record::schema()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_identity::UserId;
    use countersign_profile::{Profile, ProfileId, ProfileSpec};
    use serde_json::{Value, json};
    use utoipa::PartialSchema as _;

    use super::*;

    fn names(value: &Value) -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn f_319_the_document_has_the_fields_a_profile_has() {
        let spec = ProfileSpec::from_json(&json!({ "name": "A" })).unwrap();
        let documented = serde_json::to_value(Fields::schema()).unwrap();
        let spec_names = names(&serde_json::to_value(&spec).unwrap());
        assert_eq!(names(&documented["properties"]), spec_names);
        let owner = UserId::from_bytes([1; 16]);
        let at = jiff::Timestamp::UNIX_EPOCH;
        let profile = Profile::new(ProfileId::from_bytes([2; 16]), owner, spec, at);
        let stored = names(&serde_json::to_value(profile).unwrap());
        let record = serde_json::to_value(Record::schema()).unwrap();
        let own =
            record["allOf"].as_array().unwrap().iter().find_map(|part| part.get("properties"));
        let documented: BTreeSet<String> = &names(own.unwrap()) | &spec_names;
        assert_eq!(documented, stored);
    }
}
