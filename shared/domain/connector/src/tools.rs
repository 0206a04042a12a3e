//! Actions of this system that a connector may stand for (F-102), and the door to them (K-41).

use countersign_registry::action::Call;
use countersign_registry::actions::crawl_url::CrawlUrl;
use countersign_registry::actions::search_web::SearchWeb;
use countersign_registry::{Contract, contract_of};
use serde_json::Value;

use crate::binding::SourceFuture;
use crate::model::ToolId;

/// Runs allow-listed actions. Which of them a function can reach is decided where it is wired.
pub trait Tools: Send + Sync {
    /// Runs one. `call` is already that of the action: its name, inputs and params.
    fn run<'a>(&'a self, tool: ToolId, call: &'a Call) -> SourceFuture<'a, Value>;
}

impl ToolId {
    /// The whole allow-list.
    pub const ALL: [Self; 2] = [Self::SearchWeb, Self::CrawlUrl];

    /// The action's name in the registry.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The action of that name, when it is on the list.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
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

    /// The action's contract. What it cannot do without is an input, every other argument is a param.
    #[must_use]
    pub fn contract(self) -> Contract {
        match self {
            Self::SearchWeb => contract_of::<SearchWeb>(),
            Self::CrawlUrl => contract_of::<CrawlUrl>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolId;

    #[test]
    fn k_41_what_is_on_the_list_only_reads() {
        for tool in ToolId::ALL {
            assert_eq!(ToolId::parse(tool.as_str()), Some(tool));
            let contract = tool.contract();
            assert_eq!(contract.name, tool.as_str());
            assert!(!contract.irreversible && !contract.writes, "{tool:?} only reads");
            assert!(contract.inputs.iter().all(|slot| slot.required), "{tool:?}");
            assert!(contract.params.iter().all(|slot| !slot.required), "{tool:?}");
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
