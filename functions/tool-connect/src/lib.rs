//! `call_connector` for endpoints that only read, and what looks there and in folders for what is new, as a Lambda.

use std::sync::Arc;

use countersign_actions_connect::{Mode, actions};
use countersign_actions_detect::{GetWatermark, Sources, detections, handlers};
use countersign_connect_entry::reading;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_registry::action::Handler;
use countersign_step_entry::Context;
use countersign_store_catalog::MonitorStore;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing, or says why the TLS stack cannot start.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let deps = reading(boot)?;
    let (connectors, files) = (Arc::clone(&deps.connectors), Arc::clone(&deps.files));
    let mut all: Vec<Arc<dyn Handler>> = actions(deps, Mode::Read);
    let found = all.first().cloned().map(|connect| Sources { connect, connectors, files });
    all.extend(found.iter().flat_map(|sources| handlers(detections(sources))));
    let monitors = boot.table(Setting::TableCatalog)?;
    all.push(Arc::new(GetWatermark(Arc::new(MonitorStore::new(monitors, boot.blobs()?)))));
    Context::new(boot, all)
}
