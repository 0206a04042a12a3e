//! Actions of this system that a connector may stand for (F-102), and the door to them (K-41).

use countersign_registry::action::Call;
use countersign_registry::{DataType, Field, Slot};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::binding::SourceError;
use crate::model::ToolId;

/// Runs allow-listed actions. Which of them a function can reach is decided where it is wired.
pub trait Tools: Send + Sync {
    /// Runs one. `call` is already that of the action: its name, inputs and params.
    fn run<'a>(&'a self, tool: ToolId, call: &'a Call)
    -> BoxFuture<'a, Result<Value, SourceError>>;
}

impl ToolId {
    /// The whole allow-list.
    pub const ALL: [Self; 2] = [Self::SearchWeb, Self::CrawlUrl];

    /// The action's name in the registry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SearchWeb => "search_web",
            Self::CrawlUrl => "crawl_url",
        }
    }

    /// The action of that name, when it is on the list.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == text)
    }

    /// The pairs of `tool_module` and `tool_function` that name the action.
    #[must_use]
    pub fn written_as(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::SearchWeb => {
                &[("web", "search_web"), ("web_search", "search_web"), ("web_search", "web_search")]
            }
            Self::CrawlUrl => {
                &[("web", "crawl_url"), ("crawler", "crawl_url"), ("web_crawler", "crawl_url")]
            }
        }
    }

    /// The action of a module and function, when the pair is on the list.
    #[must_use]
    pub fn of_pair(module: &str, function: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.written_as().contains(&(module, function)))
    }

    /// The one argument the action cannot do without; it is an input of the action, every other is a param.
    #[must_use]
    pub fn input(self) -> Slot {
        match self {
            Self::SearchWeb => Slot::required("query", DataType::String, "what to search for"),
            Self::CrawlUrl => Slot::required("url", DataType::String, "the page's address"),
        }
    }

    /// What else the action takes.
    #[must_use]
    pub fn params(self) -> Vec<Slot> {
        match self {
            Self::SearchWeb => vec![
                Slot::optional("max_results", DataType::Integer, "how many results at most"),
                Slot::optional("categories", DataType::Any, "kinds of results"),
            ],
            Self::CrawlUrl => {
                vec![Slot::optional(
                    "extract_mode",
                    DataType::String,
                    "`text`, `markdown` or `structured`",
                )]
            }
        }
    }

    /// What comes back.
    #[must_use]
    pub fn outputs(self) -> Vec<Slot> {
        let text =
            |names: &[&str]| names.iter().map(|name| Field::new(name, DataType::String)).collect();
        match self {
            Self::SearchWeb => vec![
                Slot::required(
                    "results",
                    DataType::records(text(&["title", "url", "snippet", "source"])),
                    "the results",
                ),
                Slot::required("count", DataType::Integer, "how many results came back"),
            ],
            Self::CrawlUrl => vec![
                Slot::required("content", DataType::Any, "the page's text or structure"),
                Slot::required("title", DataType::String, "the page's title"),
                Slot::required("metadata", DataType::Object, "what the page says of itself"),
                Slot::required("links", DataType::array(DataType::Any), "where it links to"),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::{Registry, Slot};

    use super::ToolId;

    #[test]
    fn k_41_the_list_agrees_with_the_registry_where_it_knows_the_action() {
        let names = |slots: &[Slot]| {
            let mut names: Vec<String> = slots.iter().map(|slot| slot.name.clone()).collect();
            names.sort();
            names
        };
        let registry = Registry::builtin();
        for tool in ToolId::ALL {
            assert_eq!(ToolId::parse(tool.as_str()), Some(tool));
            let Some(contract) = registry.get(tool.as_str()) else { continue };
            assert!(!contract.irreversible && !contract.writes, "{tool:?} only reads");
            assert_eq!(names(&contract.inputs), [tool.input().name], "{tool:?}");
            assert_eq!(names(&contract.params), names(&tool.params()), "{tool:?}");
            assert_eq!(names(&contract.outputs), names(&tool.outputs()), "{tool:?}");
        }
    }

    #[test]
    fn k_41_a_pair_names_an_action_of_the_list_or_nothing() {
        assert_eq!(ToolId::of_pair("web_search", "search_web"), Some(ToolId::SearchWeb));
        assert_eq!(ToolId::of_pair("os", "system"), None);
        assert_eq!(ToolId::of_pair("web", "web_search"), None);
        assert_eq!(ToolId::parse("save_to_workspace"), None);
        assert!(serde_json::from_str::<ToolId>("\"call_connector\"").is_err());
    }
}
