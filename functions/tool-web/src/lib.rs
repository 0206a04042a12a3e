//! `crawl_url` and `search_web` as a Lambda.

use countersign_lambda_entry::{Boot, StartError};
use countersign_reader::Readers;
use countersign_search_entry::{egress, web_actions};
use countersign_step_entry::Context;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used, or says why the TLS stack cannot start.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    Context::new(boot, web_actions(boot, egress(boot), Readers::default())?)
}
