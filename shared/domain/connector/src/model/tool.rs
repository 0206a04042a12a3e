//! What is particular to an `existing_tool` (F-102): actions of this system behind a connector, by allow-list (K-41).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mapping::JsonMapping;

/// An action a connector may stand for. There is no other: a module and a function in YAML are looked up here and never
/// loaded, and nothing on the list has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "tool", "x-hint" = "a connector may use `tool: search_web` or `tool: crawl_url`"))]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum ToolId {
    /// Searches the web (F-045).
    SearchWeb,
    /// Reads one web page (F-046).
    CrawlUrl,
}

/// The connection of an `existing_tool`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolConnection {
    /// The action.
    pub tool: ToolId,
}

/// How an endpoint uses the action. Its parameters are the action's arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolRules {
    /// Whether the action's output comes back as it is; otherwise it is mapped as an answer is.
    pub passthrough: bool,
    /// How records are read from the action's output.
    #[serde(flatten)]
    pub mapping: JsonMapping,
}
