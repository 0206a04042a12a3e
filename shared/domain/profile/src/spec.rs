//! What the owner of a profile writes.

use std::collections::BTreeMap;

use countersign_journal::JournalConfig;
use countersign_report::Destination;
use countersign_run::RunContext;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ProfileError;
use crate::handle::Handle;

/// The content of a profile. Made by [`ProfileSpec::from_json`], so it is always valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct ProfileSpec {
    /// Its name for people, 1 to 100 characters.
    pub name: String,
    /// What it is called by.
    pub handle: Handle,
    /// What it is for.
    pub description: String,
    /// One emoji or short text.
    pub icon: Option<String>,
    /// `provider/model`, when another than the deployment's is wanted (F-176).
    pub model_preference: Option<String>,
    /// How often a model may look again, 1 to 10.
    pub max_research_rounds: u8,
    /// What a model is told in addition.
    pub system_prompt_additions: Option<String>,
    /// What it reads and where it writes what it learns.
    pub knowledge_config: KnowledgeConfig,
    /// Where results go.
    pub output_config: OutputConfig,
    /// What is written down of its runs.
    pub journal_config: JournalConfig,
    /// How playbooks run that do not say.
    pub default_execution_mode: ExecutionMode,
    /// In which context.
    pub default_run_context: RunContext,
    /// With which approvals.
    pub default_approval_policy: ApprovalPolicy,
    /// Sets of tools (K-91).
    pub tool_packs: Vec<String>,
    /// What it can do.
    pub skills: Vec<Skill>,
    /// Usernames or mail addresses of the directory that sign for it; the owner when empty.
    pub approvers: Vec<String>,
}

/// How much a model takes part (F-183…F-185).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionMode {
    /// Tools and gates only; no tokens.
    Deterministic,
    /// A model plans and works.
    LlmAugmented,
    /// Both.
    #[default]
    Hybrid,
}

/// Whether steps that can be taken back need a signature (F-132, K-11). Irreversible ones always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalPolicy {
    /// Gates wait for people.
    #[default]
    Require,
    /// In scheduled and monitor runs, gates before reversible steps open by themselves.
    AutoApprove,
}

/// What an agent reads and where it writes (F-170).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KnowledgeConfig {
    /// Collections it may read.
    pub read_collections: Vec<String>,
    /// The collection it writes.
    pub write_collection: Option<String>,
    /// Parts of the graph it works in.
    pub graph_namespaces: Vec<String>,
    /// Whether what it finds goes into the graph.
    pub auto_enrich: bool,
    /// Whether names are resolved to known entities first.
    pub entity_resolution: bool,
}

/// Where results go (F-171).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OutputConfig {
    /// Whether results enrich the graph (F-293).
    pub auto_enrich_graph: bool,
    /// The destinations, each on its own.
    pub destinations: Vec<Destination>,
}

/// Whether a skill comes with the system or is a playbook (F-174).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillType {
    /// Part of the system, such as `research`.
    BuiltIn,
    /// A playbook.
    Playbook,
}

/// Something an agent can do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// Where it comes from.
    pub skill_type: SkillType,
    /// The built-in's name or the playbook's id.
    pub reference: String,
    /// Higher is tried first, -1000 to 1000.
    pub priority: i32,
    /// Values handed to it.
    pub parameters: Map<String, Value>,
    /// Whether it may be used.
    pub enabled: bool,
}

/// What teams an agent is shared with may see, derived from the shares (F-173, K-68); never stored in the profile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TeamConfig {
    /// The teams.
    pub shared_with_teams: Vec<String>,
    /// Whether any team grants its files.
    pub team_file_access: bool,
    /// Whether any team grants its posts.
    pub team_post_access: bool,
    /// What each team grants.
    pub team_permissions: BTreeMap<String, TeamPermission>,
}

/// What one team grants an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TeamPermission {
    /// Its files.
    pub file_access: bool,
    /// Its posts.
    pub post_access: bool,
}

impl TeamConfig {
    /// Derives the configuration from the active shares.
    #[must_use]
    pub fn derived(shares: impl IntoIterator<Item = (String, TeamPermission)>) -> Self {
        let team_permissions: BTreeMap<String, TeamPermission> = shares.into_iter().collect();
        Self {
            shared_with_teams: team_permissions.keys().cloned().collect(),
            team_file_access: team_permissions.values().any(|grant| grant.file_access),
            team_post_access: team_permissions.values().any(|grant| grant.post_access),
            team_permissions,
        }
    }
}

impl ProfileSpec {
    /// The same spec with the fields of `patch` in place of its own; `null` gives a field its default back. Objects are
    /// merged, lists replaced (RFC 7396).
    ///
    /// # Errors
    /// [`ProfileError::Invalid`] when the result would not be valid.
    pub fn patched(&self, patch: &Value) -> Result<Self, ProfileError> {
        let mut whole = serde_json::to_value(self).unwrap_or(Value::Null);
        merge(&mut whole, patch);
        Self::from_json(&whole)
    }
}

impl TryFrom<Value> for ProfileSpec {
    type Error = ProfileError;
    fn try_from(value: Value) -> Result<Self, ProfileError> {
        Self::from_json(&value)
    }
}

fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (name, value) in patch {
                if value.is_null() {
                    target.shift_remove(name);
                } else {
                    merge(target.entry(name.clone()).or_insert(Value::Null), value);
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}
