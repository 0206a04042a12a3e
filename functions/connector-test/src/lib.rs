//! Tries one endpoint of a connector (F-331), through the action that runs use.

mod test_context;
mod test_request;
mod test_run;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::post;
use countersign_actions_connect::{Deps, Mode, actions};
use countersign_identity::Rights;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_registry::action::Handler;
use countersign_store_directory::Directory;
use countersign_web::token::Verifier;
use countersign_web::{AuthContext, door, no_parameters};

use test_context::TestContext;

/// What a test needs.
pub struct Context {
    verifier: Verifier,
    directory: Directory,
    action: Arc<dyn Handler>,
    context: Arc<TestContext>,
}

impl AuthContext for Context {
    fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    fn rights(&self) -> &dyn Rights {
        &self.directory
    }
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] names the setting that is missing or unusable.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let deps = countersign_connect_entry::reading(boot)?;
        let Deps { connectors: stored, health, announcer, .. } = deps.clone();
        let context = Arc::new(TestContext { stored, health, announcer });
        let (connectors, health, announcer) = (context.clone(), context.clone(), context.clone());
        let answers = context.clone();
        let mut actions =
            actions(Deps { connectors, health, announcer, answers, ..deps }, Mode::Read);
        let missing = || StartError::Runtime("the action is gone".to_owned());
        Ok(Self {
            verifier: Verifier::of(&boot.settings)?,
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            action: actions.pop().ok_or_else(missing)?,
            context,
        })
    }
}

/// The one route, with everything a door has around it.
pub fn router(context: Arc<Context>) -> Router {
    let path = "/api/agent-factory/connectors/{id}/test";
    let test = post(test_run::run).route_layer(from_fn(no_parameters));
    door::complete(Router::new().route(path, test).with_state(context))
}
