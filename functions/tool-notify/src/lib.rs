//! What tells people something, and what reads what they tell one another, as a Lambda.

mod notes;

use std::sync::Arc;

use countersign_actions_detect::{NewTeamPosts, SharedWith, handlers};
use countersign_actions_notify::{DailyMails, PublicUrl, actions};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_notice::OwnerNotifier;
use countersign_outbox::MailQueue;
use countersign_run::Quota;
use countersign_step_entry::Context;
use countersign_store_catalog::Catalog;
use countersign_store_content::ContentStore;
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;

use notes::Announced;

/// Everything a step of this function needs, made once.
///
/// # Errors
/// [`StartError`] names the setting that is missing or cannot be used.
pub fn context(boot: &Boot) -> Result<Context, StartError> {
    let content = ContentStore::new(boot.table(Setting::TableContent)?, boot.blobs()?);
    let directory = Directory::new(boot.table(Setting::TableDirectory)?);
    let mails = MailQueue::new(&boot.aws, boot.settings.need(Setting::MailQueueUrl)?);
    let own = boot.read(Setting::PublicUrl, PublicUrl::parse)?;
    let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
    let quota = DailyMails { runs, quota: Quota::mails(boot.number(Setting::MailsPerDay)?) };
    let quota = Arc::new(quota);
    let catalog = Catalog::new(boot.table(Setting::TableCatalog)?);
    let access = Arc::new(SharedWith { catalog, directory: directory.clone() });
    let posts = NewTeamPosts { posts: Arc::new(content), access };
    let notes = Announced(OwnerNotifier::new(boot)?);
    let mut all = actions(Arc::new(notes), Arc::new(directory), quota, Arc::new(mails), own);
    all.extend(handlers(vec![Arc::new(posts)]));
    Context::new(boot, all)
}
