//! Notifications inside the application.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Page, Window, Write};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::NotificationId;
use crate::keys;
use crate::{Answer, ContentStore};

/// Notifications are forgotten after so many seconds: half a year.
const KEPT: i64 = 183 * 86_400;

/// How urgent a notification is (F-072).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "NotificationPriority")]
pub enum Priority {
    /// In the application only.
    Low,
    /// In the application and by mail.
    #[default]
    Normal,
    /// By mail, marked in the subject.
    High,
    /// By mail, marked in the subject.
    Urgent,
}

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationType {
    /// A run is over (F-190).
    AgentJobComplete,
    /// A step of a run wrote it (F-072).
    #[default]
    AgentMessage,
    /// A source rejected a credential (F-306).
    CredentialRejected,
    /// A monitor cannot look.
    MonitorFailing,
    /// Items that a monitor found are parked.
    ItemsParked,
    /// A due time or an event came to no run.
    RunLeftOut,
}

/// A message to the owner of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notification {
    /// The id.
    pub id: NotificationId,
    /// Who is told.
    pub owner: UserId,
    /// What it is about.
    #[serde(default)]
    pub notification_type: NotificationType,
    /// One line.
    pub title: String,
    /// The message, plain text.
    pub message: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Where the reader can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_url: Option<String>,
    /// What the link is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_label: Option<String>,
    /// What it is about, as data: of a finished run `execution_id`, `status`, `entities_discovered`, `output_destinations`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The run it comes from.
    pub run: String,
    /// When.
    pub created_at: Timestamp,
    /// When it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<Timestamp>,
}

impl ContentStore {
    /// Writes a notification unless one with its id exists; answers with the one that stands.
    pub fn notify<'a>(&'a self, note: &'a Notification) -> Answer<'a, Notification> {
        Box::pin(async move {
            let sort = keys::at(note.created_at, &note.id);
            let put = Write::put(&keys::note(&note.owner, &note.id), note)?;
            let put = put.indexed(&keys::notes(&note.owner), &sort);
            self.table.put_once(put.expires_at(note.created_at.as_second() + KEPT), note).await
        })
    }

    /// The notifications of an owner, newest first.
    pub fn notifications(&self, owner: &UserId, window: Window) -> Answer<'_, Page<Notification>> {
        self.newest(&keys::notes(owner), window)
    }

    /// Marks a notification of this owner as read; none when there is none. One that was read keeps its time.
    pub fn mark_read(
        &self,
        owner: &UserId,
        id: &NotificationId,
        now: Timestamp,
    ) -> Answer<'_, Option<Notification>> {
        let key = keys::note(owner, id);
        Box::pin(async move {
            let unread = Expr::new("attribute_exists(#PK) AND attribute_not_exists(#read_at)");
            self.table.try_write(Write::update(&key).set("read_at", &now)?.when(unread)).await?;
            Ok(self.table.get(&key).await?)
        })
    }
}
