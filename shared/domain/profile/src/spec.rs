//! What the owner of a profile writes.

use countersign_canonical::canonical_of;
use countersign_document::{
    List, MaybeBlank, Problem, Refused, Text, Whole, merge_patch, text_type,
};
use countersign_journal::JournalConfig;
use countersign_knowledge::Namespace;
use countersign_model_list::{ModelChoice, ModelName, Temperature};
use countersign_report::{Destination, GraphNamespace, MAX_DESTINATIONS, WrittenDestination};
use countersign_run::{ApprovalPolicy, ExecutionMode, RunContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::error::ProfileError;
use crate::handle::Handle;

/// The content of a profile. Made by [`ProfileSpec::from_json`], so it is always valid.
pub type ProfileSpec = Fields<Handle, StoredDestination>;

/// The fields of a profile, as they are written or as they are stored. Its author may leave out the handle; it is then
/// made of the name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Profile")]
pub struct Fields<H, D> {
    /// Its name for people.
    pub name: Text<100>,
    /// What it is called by, kebab-case; made of the name when left out.
    pub handle: H,
    /// What it is for.
    #[serde(default)]
    pub description: MaybeBlank<2_000>,
    /// One emoji or short text.
    pub icon: Option<MaybeBlank<16>>,
    /// `provider/model`, when another than the deployment's is wanted: one that an administrator has listed.
    pub model_preference: Option<ModelName>,
    /// How freely that model chooses its words, from 0 to 2; left out, as its provider does. Needs `model_preference`.
    pub model_temperature: Option<Temperature>,
    /// In so many rounds the skill `research` may look again. Has an effect only with that skill.
    #[serde(default)]
    pub max_research_rounds: Whole<1, 10, 3>,
    /// What the skill `research` is told in addition. Has an effect only with that skill.
    pub system_prompt_additions: Option<MaybeBlank<8_000>>,
    /// What it reads and where it writes what it learns.
    #[serde(default)]
    pub knowledge_config: KnowledgeConfig,
    /// Where results go.
    #[serde(default = "OutputConfig::<D>::default")]
    pub output_config: OutputConfig<D>,
    /// What is written down of its runs.
    #[serde(default)]
    pub journal_config: JournalConfig,
    /// How playbooks run that do not say. Not `llm_augmented`: models only fill in the fields of single steps.
    #[serde(default)]
    pub default_execution_mode: ExecutionMode,
    /// In which context.
    #[serde(default = "interactive")]
    pub default_run_context: RunContext,
    /// Whether gates before reversible steps open by themselves in runs that a clock starts, where its schedule does not
    /// say. Gates before irreversible steps always ask.
    #[serde(default)]
    pub default_approval_policy: ApprovalPolicy,
    /// Sets of tools. Must be empty: a playbook names its actions.
    #[serde(default)]
    pub tool_packs: Vec<Text<100>>,
    /// The playbooks it can follow.
    #[serde(default)]
    pub skills: List<Skill, 0, 50>,
    /// Usernames or mail addresses of the directory that sign for it; the owner when empty.
    #[serde(default)]
    pub approvers: Vec<Approver>,
}

fn interactive() -> RunContext {
    RunContext::Interactive
}

text_type! {
    /// Somebody of the directory.
    pub struct Approver {
        format: "approver", code: "approver", sample: "a", pattern: r"^\S{1,254}$", check: approver
    }
}

fn approver(text: &str) -> Result<(), Refused> {
    let wrong = || Refused::of_key("must be a username or a mail address of the directory");
    if is_word(text, 254) { Ok(()) } else { Err(wrong()) }
}

fn is_word(text: &str, max: usize) -> bool {
    let length = text.chars().count();
    (1..=max).contains(&length) && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// What an agent reads and where it writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// Collections it may read.
    pub read_collections: Vec<Text<100>>,
    /// The collection it writes.
    pub write_collection: Option<MaybeBlank<100>>,
    /// Parts of the graph it works in; it writes to the first. None: the part `default`.
    pub graph_namespaces: List<GraphNamespace, 0, 20>,
    /// Whether what it finds goes into the graph.
    pub auto_enrich: bool,
    /// Whether names are resolved to known entities first.
    pub entity_resolution: bool,
}

impl KnowledgeConfig {
    /// The parts of the graph it works in, the one that it writes to first; none when it names none.
    #[must_use]
    pub fn namespaces(&self) -> Vec<Namespace> {
        self.graph_namespaces
            .iter()
            .filter_map(|name| Namespace::parse(name.as_str()).ok())
            .collect()
    }

    /// The part of the graph it writes to.
    #[must_use]
    pub fn first(&self) -> Namespace {
        self.namespaces().into_iter().next().unwrap_or_default()
    }
}

/// Where results go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, bound(deserialize = "D: Deserialize<'de>"))]
#[schemars(rename = "OutputConfig")]
pub struct OutputConfig<D> {
    /// Whether results enrich the graph.
    pub auto_enrich_graph: bool,
    /// The destinations, each on its own.
    #[schemars(length(max = MAX_DESTINATIONS))]
    pub destinations: Vec<D>,
}

impl<D> Default for OutputConfig<D> {
    fn default() -> Self {
        Self { auto_enrich_graph: false, destinations: Vec::new() }
    }
}

/// A destination as it was written and stored. It was valid then, so a stored profile is loaded whatever it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredDestination(Map<String, Value>);

impl From<WrittenDestination> for StoredDestination {
    fn from(written: WrittenDestination) -> Self {
        Self(written.into_written())
    }
}

impl StoredDestination {
    /// What tells it from another one: the digest of what its owner wrote.
    ///
    /// # Errors
    /// The serialiser's error when it is not JSON.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let canonical = canonical_of(self)?;
        let hash = Sha256::new().chain_update(b"countersign/v1/destination\0");
        Ok(hex::encode(hash.chain_update(canonical).finalize()))
    }
}

impl OutputConfig<WrittenDestination> {
    /// As it is stored.
    pub(crate) fn stored(self) -> OutputConfig<StoredDestination> {
        let destinations = self.destinations.into_iter().map(StoredDestination::from).collect();
        OutputConfig { auto_enrich_graph: self.auto_enrich_graph, destinations }
    }
}

impl OutputConfig<StoredDestination> {
    /// The destinations.
    ///
    /// # Errors
    /// [`ProfileError::Invalid`] when one does not fit any more.
    pub fn destinations(&self) -> Result<Vec<Destination>, ProfileError> {
        let read = |(n, StoredDestination(stored)): (usize, &StoredDestination)| {
            let written = WrittenDestination::deserialize(Value::Object(stored.clone()));
            let unread = |_| {
                let pointer = format!("/output_config/destinations/{n}");
                let message = "this destination cannot be read any more: write it again";
                ProfileError::Invalid(vec![Problem::error("destination", pointer, message)])
            };
            written.map(Destination::from).map_err(unread)
        };
        self.destinations.iter().enumerate().map(read).collect()
    }
}

/// Whether a skill comes with the system or is a playbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillType {
    /// Part of the system: `research`, which answers questions that no playbook answers.
    BuiltIn,
    /// A playbook.
    Playbook,
}

/// Something an agent can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// Where it comes from.
    pub skill_type: SkillType,
    /// The built-in's name or the playbook's id.
    pub reference: Text<100>,
    /// Of several playbooks, the one with the highest priority is followed when a request names none.
    #[serde(default)]
    pub priority: Whole<-1_000, 1_000>,
    /// Inputs of the playbook, by name, where a request gives none; of `research`, whether it looks on the `web`, the endpoints whose calls it `proposes`, and the `specialists` between whom a question is divided in `stages`.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// Whether the agent may follow it.
    #[serde(default = "yes")]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

impl ProfileSpec {
    /// The same spec with the fields of `patch` in place of its own; `null` gives a field its default back. Objects are
    /// merged, lists replaced (RFC 7396).
    ///
    /// # Errors
    /// [`ProfileError::Invalid`] when the result would not be valid.
    pub fn patched(&self, patch: &Value) -> Result<Self, ProfileError> {
        let mut whole = serde_json::to_value(self).unwrap_or(Value::Null);
        merge_patch(&mut whole, patch);
        Self::from_json(&whole)
    }

    /// The model that the agent's steps ask, when it is another than the deployment's (F-176, R-035).
    #[must_use]
    pub fn model_choice(&self) -> Option<ModelChoice> {
        let model = self.model_preference.clone()?;
        Some(ModelChoice { model, temperature: self.model_temperature })
    }

    /// The skill for this playbook, switched on or off.
    #[must_use]
    pub fn skill_for(&self, playbook: &str) -> Option<&Skill> {
        let mut own = self.skills.iter().filter(|skill| skill.skill_type == SkillType::Playbook);
        own.find(|skill| skill.reference.as_str() == playbook)
    }

    /// The playbook that is named, else [`Self::first_playbook`].
    #[must_use]
    pub fn named_or_first<'a>(&'a self, named: Option<&'a Text<100>>) -> Option<&'a str> {
        named.map_or_else(|| self.first_playbook(), |named| Some(named.as_str()))
    }

    /// The playbook that the agent follows when none is named: its skill with the highest priority. None when it has none, or
    /// several of that priority (F-174).
    #[must_use]
    pub fn first_playbook(&self) -> Option<&str> {
        let own = || {
            let skills = self.skills.iter();
            skills.filter(|skill| skill.enabled && skill.skill_type == SkillType::Playbook)
        };
        let highest = own().map(|skill| skill.priority).max()?;
        let mut first = own().filter(|skill| skill.priority == highest);
        let one = first.next()?;
        first.next().is_none().then_some(one.reference.as_str())
    }
}
