//! What the action needs of the world.

use countersign_identity::UserId;
use countersign_outbox::{Mail, MailQueue};
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_run::Quota;
use countersign_store_content::Notification;
use countersign_store_directory::Directory;
use countersign_store_runs::{Counted, RunStore, Use};

/// Where notifications are kept.
pub trait Notes: Send + Sync {
    /// Keeps a notification unless one with its id stands; answers with the one that stands.
    fn keep<'a>(&'a self, note: &'a Notification) -> ActionFuture<'a, Notification>;
}

/// Who has which address.
pub trait Addresses: Send + Sync {
    /// The verified address of an active person; none when there is none.
    fn verified<'a>(&'a self, user: &'a UserId) -> ActionFuture<'a, Option<String>>;
}

/// How many mails the runs of a person may send.
pub trait Quotas: Send + Sync {
    /// Counts a mail of a call once, however often the call is repeated.
    fn count<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, ()>;
}

/// The quota of the deployment, counted with the runs.
pub struct DailyMails {
    /// Where it is counted.
    pub runs: RunStore,
    /// How many.
    pub quota: Quota,
}

impl Quotas for DailyMails {
    fn count<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, ()> {
        Box::pin(async move {
            let of = Use {
                who: &call.info.invoked_by,
                amount: 1,
                known_by: Some(call.idempotency_key.as_str()),
            };
            match self.runs.count(self.quota, of, call.now).await {
                Ok(Counted::Yes) => Ok(()),
                Ok(Counted::Exceeded(exceeded)) => Err(ActionError::from_failure(&exceeded)),
                Err(error) => Err(ActionError::from_failure(&error)),
            }
        })
    }
}

/// Where mail goes.
pub trait Mails: Send + Sync {
    /// Queues a mail; one with the same id is mailed once.
    fn queue<'a>(&'a self, mail: &'a Mail) -> ActionFuture<'a, ()>;
}

impl Addresses for Directory {
    fn verified<'a>(&'a self, user: &'a UserId) -> ActionFuture<'a, Option<String>> {
        Box::pin(async move {
            let person =
                self.user(user).await.map_err(|error| ActionError::from_failure(&error))?;
            let reachable = person.filter(|person| person.active && person.email_verified);
            Ok(reachable.map(|person| person.email.as_str().to_owned()))
        })
    }
}

impl Mails for MailQueue {
    fn queue<'a>(&'a self, mail: &'a Mail) -> ActionFuture<'a, ()> {
        Box::pin(
            async move { self.send(mail).await.map_err(|error| ActionError::from_failure(&error)) },
        )
    }
}
