//! What a tool Lambda is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use countersign_approval::Tenant;
use countersign_approval::ports::Signatures;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_registry::Registry;
use countersign_registry::action::{self, Describe};
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;

use crate::sealed_plans::SealedPlans;

/// Everything the step protocol needs.
pub struct Context {
    /// The deployment.
    pub tenant: Tenant,
    /// The contracts.
    pub registry: Registry,
    /// The runs.
    pub runs: RunStore,
    /// What people may do now.
    pub rights: Directory,
    /// What says what an irreversible action would send; none in functions that host only reversible ones.
    pub describer: Option<Arc<dyn Describe>>,
    /// Where signatures are found; none in functions that host only reversible actions.
    pub signatures: Option<Arc<dyn Signatures>>,
    /// The plans of the last runs.
    pub(crate) plans: SealedPlans,
    /// The handlers by action.
    actions: BTreeMap<&'static str, Arc<dyn action::Handler>>,
}

impl Context {
    /// The context of a function that hosts these actions.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing, an action has no contract, or a contract of this function no handler.
    pub fn new(boot: &Boot, actions: Vec<Arc<dyn action::Handler>>) -> Result<Self, StartError> {
        Self::made(boot, actions, None)
    }

    /// The context of `function`, which beside its own actions makes the calls with an effect of actions that another one hosts.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing, an action has no contract, or a contract of this function no handler.
    pub fn acting(
        boot: &Boot,
        function: &str,
        actions: Vec<Arc<dyn action::Handler>>,
        describer: Arc<dyn Describe>,
        signatures: Arc<dyn Signatures>,
    ) -> Result<Self, StartError> {
        let context = Self::made(boot, actions, Some(function))?;
        Ok(Self { describer: Some(describer), signatures: Some(signatures), ..context })
    }

    /// `own` as in [`complete`].
    fn made(
        boot: &Boot,
        actions: Vec<Arc<dyn action::Handler>>,
        own: Option<&str>,
    ) -> Result<Self, StartError> {
        let context = Self {
            tenant: boot.read(Setting::Tenant, Tenant::parse)?,
            registry: Registry::builtin(),
            runs: RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?),
            rights: Directory::new(boot.table(Setting::TableDirectory)?),
            describer: None,
            signatures: None,
            plans: SealedPlans::default(),
            actions: actions.into_iter().map(|action| (action.name(), action)).collect(),
        };
        let hosted: Vec<&str> = context.actions.keys().copied().collect();
        complete(&context.registry, &hosted, own).map(|()| context)
    }

    /// The same function, able to say what an irreversible action would send.
    #[must_use]
    pub fn with_describer(self, describer: Arc<dyn Describe>) -> Self {
        Self { describer: Some(describer), ..self }
    }

    /// The same function, able to find signatures: it does what cannot be taken back.
    #[must_use]
    pub fn with_signatures(self, signatures: Arc<dyn Signatures>) -> Self {
        Self { signatures: Some(signatures), ..self }
    }

    /// The handler of an action.
    #[must_use]
    pub fn action(&self, name: &str) -> Option<&Arc<dyn action::Handler>> {
        self.actions.get(name)
    }
}

/// Each action has a contract, and each contract of this function, else of the functions they belong to, a handler (K-57).
fn complete(registry: &Registry, hosted: &[&str], own: Option<&str>) -> Result<(), StartError> {
    let known: BTreeMap<&str, &str> = registry.functions().collect();
    let mut functions = BTreeSet::new();
    for name in hosted {
        let unknown = || StartError::Runtime(format!("the action `{name}` has no contract"));
        functions.insert(*known.get(name).ok_or_else(unknown)?);
    }
    if let Some(own) = own {
        functions = BTreeSet::from([own]);
    }
    let missing = |(name, function): &(&&str, &&str)| {
        functions.contains(*function) && !hosted.contains(*name)
    };
    match known.iter().find(missing) {
        None => Ok(()),
        Some((name, function)) => {
            let message = format!("`{function}` hosts no handler of the action `{name}`");
            Err(StartError::Runtime(message))
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::TOOL_CONNECT_WRITE;

    use super::*;

    fn check(hosted: &[&str], expect: Option<&str>) {
        check_own(hosted, None, expect);
    }

    fn check_own(hosted: &[&str], own: Option<&str>, expect: Option<&str>) {
        let refused = complete(&Registry::builtin(), hosted, own);
        let refused = refused.err().map(|error| error.to_string());
        match expect {
            None => assert_eq!(refused, None),
            Some(expect) => {
                let refused = refused.unwrap_or_default();
                assert!(refused.contains(expect), "{refused}");
            }
        }
    }

    #[test]
    fn k_57_a_function_starts_with_a_handler_for_each_of_its_contracts_and_no_others() {
        check(&["transform_data", "extract_entities", "cross_reference"], None);
        check(&["send_notification", "detect_new_team_posts"], None);
        check(
            &["call_connector"],
            Some("`tool-connect` hosts no handler of the action `detect_folder_changes`"),
        );
        check(&[], None);
        check(
            &["transform_data", "extract_entities"],
            Some("`tool-data` hosts no handler of the action `cross_reference`"),
        );
        check(&["transform"], Some("the action `transform` has no contract"));
    }

    #[test]
    fn k_57_a_function_that_acts_for_another_has_its_own_actions_too() {
        let own = Some(TOOL_CONNECT_WRITE);
        check_own(&["call_connector", "send_channel_message"], own, None);
        check_own(
            &["call_connector"],
            own,
            Some("`tool-connect-write` hosts no handler of the action `send_channel_message`"),
        );
        check_own(&["transform"], own, Some("the action `transform` has no contract"));
    }
}
