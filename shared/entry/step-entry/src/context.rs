//! What a tool Lambda is made of, and its `main`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use countersign_approval::Tenant;
use countersign_approval::ports::Signatures;
use countersign_identity::Rights;
use countersign_lambda_entry::{Boot, Handler, Invocation, Setting, StartError, decode, handler};
use countersign_registry::Registry;
use countersign_registry::action::{Action, Describe};
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;
use futures::future::BoxFuture;

use crate::protocol::run_step;

/// Everything the step protocol needs.
pub struct Context {
    /// The deployment.
    pub tenant: Tenant,
    /// The contracts.
    pub registry: Registry,
    /// The runs.
    pub runs: RunStore,
    /// What people may do now.
    pub rights: Arc<dyn Rights>,
    /// What says what an irreversible action would send; none in functions that host only reversible ones.
    pub describer: Option<Arc<dyn Describe>>,
    /// Where signatures are found; none in functions that host only reversible actions.
    pub signatures: Option<Arc<dyn Signatures>>,
    /// The handlers by action.
    actions: BTreeMap<&'static str, Arc<dyn Action>>,
}

impl Context {
    /// The context of a function that hosts these actions.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing, an action has no contract, or an irreversible one no signatures.
    pub fn new(boot: &Boot, actions: Vec<Arc<dyn Action>>) -> Result<Self, StartError> {
        let dynamo = boot.dynamo();
        let invalid = |reason: String| StartError::Invalid { name: "TENANT", reason };
        let tenant = Tenant::parse(boot.settings.need(Setting::Tenant)?)
            .map_err(|error| invalid(error.to_string()))?;
        let registry = Registry::builtin();
        for action in &actions {
            if registry.get(action.name()).is_none() {
                return Err(StartError::Runtime(format!(
                    "the action `{}` has no contract",
                    action.name()
                )));
            }
        }
        Ok(Self {
            tenant,
            registry,
            runs: RunStore::new(boot.table(Setting::TableRuns, &dynamo)?, boot.blobs()?),
            rights: Arc::new(Directory::new(boot.table(Setting::TableDirectory, &dynamo)?)),
            describer: None,
            signatures: None,
            actions: actions.into_iter().map(|action| (action.name(), action)).collect(),
        })
    }

    /// The same function, able to say what an irreversible action would send.
    #[must_use]
    pub fn with_describer(self, describer: Arc<dyn Describe>) -> Self {
        Self { describer: Some(describer), ..self }
    }

    /// The same function, able to act irreversibly.
    #[must_use]
    pub fn with_signatures(self, signatures: Arc<dyn Signatures>) -> Self {
        Self { signatures: Some(signatures), ..self }
    }

    /// The handler of an action.
    #[must_use]
    pub fn action(&self, name: &str) -> Option<&Arc<dyn Action>> {
        self.actions.get(name)
    }
}

/// Serves steps: `build` makes the context once.
#[must_use]
pub fn serve(build: fn(Boot) -> BoxFuture<'static, Result<Context, StartError>>) -> ExitCode {
    countersign_lambda_entry::serve_with(Box::new(move |boot| {
        Box::pin(async move { Ok(handle_with(build(boot).await?)) })
    }))
}

fn handle_with(context: Context) -> Handler {
    let context = Arc::new(context);
    handler(move |event, invocation: Invocation| {
        let context = Arc::clone(&context);
        Box::pin(async move {
            let event = decode(event)?;
            let answer = run_step(&context, &event, &invocation).await?;
            Ok(serde_json::json!(answer))
        })
    })
}
