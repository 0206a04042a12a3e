//! Triggers: what starts agents beside people and clocks, who listens to what, and which events have fired.

use countersign_identity::{Presented, Saved, UserId};
use countersign_run::{Occurrence, OccurrenceId};
use countersign_store_kit::{Key, Query, Write};
use countersign_trigger::{HookKeyId, MAX_TRIGGERS, TriggerEvent, TriggerId, TriggerSpec};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::occurrences::{KEPT, entered};
use crate::record::{self, StoredRecord};
use crate::stored::{Spec, Stored};
use crate::{Answer, Catalog, Result, keys};

/// A trigger that is active, under what it listens to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listener {
    /// Whose.
    pub owner: UserId,
    /// Which.
    pub trigger: TriggerId,
}

/// The keys with which senders of one trigger may sign. The secrets are in the vault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookKeys {
    /// The oldest first.
    pub keys: Vec<HookKeyInfo>,
    /// Raised by every change; 0 before the first.
    #[serde(default)]
    pub version: u64,
}

/// What is shown of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookKeyInfo {
    /// Its id.
    pub id: HookKeyId,
    /// When it was made.
    pub created_at: Timestamp,
    /// The token it was made with; earlier releases did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Presented>,
}

impl HookKeyInfo {
    /// What it was made with: once that is void, nobody signs with the key any more.
    #[must_use]
    pub fn saved(&self) -> Saved<'_> {
        Saved { scopes: None, token: self.token.as_ref() }
    }
}

/// The first occurrence of an event.
#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    occurrence: OccurrenceId,
}

/// What became of an event that was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noticed {
    /// It is new, and entered.
    New,
    /// It was reported before.
    Known(OccurrenceId),
}

impl Spec for TriggerSpec {
    type Id = TriggerId;

    const KIND: &'static str = "trigger";
    const KEY: &'static str = "TRIGGER";

    fn property(&self) -> String {
        self.profile_id.to_string()
    }

    /// A trigger that is active is found by what it listens to.
    fn written_with(
        before: Option<&Stored<Self>>,
        after: Option<&Stored<Self>>,
    ) -> Result<Vec<Write>> {
        let (was, is) = (before.and_then(place), after.and_then(place));
        let doing = CatalogError::doing("note what the trigger listens to");
        let mut writes = Vec::new();
        if let Some((old, _)) = was.filter(|(old, _)| is.as_ref().is_none_or(|(new, _)| new != old))
        {
            writes.push(Write::delete(&old));
        }
        if let Some((key, listener)) = is {
            let record = StoredRecord::of("trigger's event", &listener, 1)?;
            writes.push(record.put(&key).map_err(doing)?);
        }
        Ok(writes)
    }
}

/// Where an active trigger listens.
fn place(trigger: &Stored<TriggerSpec>) -> Option<(Key, Listener)> {
    let owner = trigger.user_id.clone().filter(|_| trigger.spec.is_active)?;
    let id = &trigger.id;
    let key = match &trigger.spec.on {
        TriggerEvent::Webhook {} => keys::hook(id),
        TriggerEvent::File { folder, .. } => {
            Key::new(keys::folder_listeners(&owner, folder.as_str()), id.as_str())
        }
        TriggerEvent::After { playbook, .. } => {
            Key::new(keys::end_listeners(&owner, playbook), id.as_str())
        }
    };
    Some((key, Listener { owner, trigger: id.clone() }))
}

impl Catalog {
    /// The owner of an active trigger that is fired by webhooks, and the keys of its senders.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn hook<'a>(&'a self, trigger: &'a TriggerId) -> Answer<'a, (Option<Listener>, HookKeys)> {
        Box::pin(async move {
            let doing = CatalogError::doing("look up a webhook");
            let (listener, keys) = (keys::hook(trigger), keys::hook_keys(trigger));
            let mut found =
                self.table.get_many(&[listener.clone(), keys.clone()]).await.map_err(doing)?;
            let name = self.table.name();
            let listener = record::read(name, found.remove(&listener)).map_err(doing)?;
            let keys: Option<HookKeys> = record::read(name, found.remove(&keys)).map_err(doing)?;
            Ok((listener, keys.unwrap_or_default()))
        })
    }

    /// The keys with which senders of a trigger may sign.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn hook_keys(&self, trigger: &TriggerId) -> Answer<'_, HookKeys> {
        let keys = record::one(&self.table, keys::hook_keys(trigger), "read the keys of a webhook");
        Box::pin(keys.map_ok(Option::unwrap_or_default))
    }

    /// Replaces the keys of a trigger by other ones; `before` is what they were.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when somebody else has changed them in between.
    pub fn set_hook_keys(
        &self,
        trigger: &TriggerId,
        before: &HookKeys,
        keys: Vec<HookKeyInfo>,
    ) -> Answer<'_, ()> {
        let (key, seen) = (keys::hook_keys(trigger), before.version);
        Box::pin(async move {
            let doing = CatalogError::doing("change the keys of a webhook");
            let after = HookKeys { keys, version: seen + 1 };
            let record = StoredRecord::of("key", &after, after.version)?;
            let put = record.put_after(&key, seen).map_err(doing)?;
            let is_ours = self.table.try_write(put).await.map_err(doing)?;
            is_ours.then_some(()).ok_or(CatalogError::Changed("trigger"))
        })
    }

    /// Removes the list of a trigger's keys.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn forget_hook_keys(&self, trigger: &TriggerId) -> Answer<'_, ()> {
        record::remove(&self.table, &keys::hook_keys(trigger), "remove the keys of a webhook")
    }

    /// The owner's active triggers that wait for files in this folder.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn folder_listeners(
        &self,
        owner: &UserId,
        folder: &str,
    ) -> Result<Vec<Stored<TriggerSpec>>> {
        self.listening(keys::folder_listeners(owner, folder)).await
    }

    /// The owner's active triggers that wait for the end of this playbook's runs. Where there is none, that is one read.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn end_listeners(
        &self,
        owner: &UserId,
        playbook: &str,
    ) -> Result<Vec<Stored<TriggerSpec>>> {
        self.listening(keys::end_listeners(owner, playbook)).await
    }

    async fn listening(&self, partition: String) -> Result<Vec<Stored<TriggerSpec>>> {
        let doing = CatalogError::doing("look up triggers");
        let most = i32::try_from(MAX_TRIGGERS).unwrap_or(i32::MAX);
        let query = Query::partition(&partition).consistent().limit(most);
        let page = self.table.query(query).await.map_err(doing)?;
        let listeners = record::page::<Listener>(&self.table, page).map_err(doing)?.items;
        let mut found = Vec::with_capacity(listeners.len());
        for Listener { owner, trigger } in &listeners {
            let own = self.collection::<Stored<TriggerSpec>>().own(owner, trigger).await?;
            found.extend(own.filter(|trigger| trigger.spec.is_active));
        }
        Ok(found)
    }

    /// Enters the occurrence of an event in the ledger, once for each event, whoever reports it and when. `instead` is a known
    /// occurrence of the event that came to nothing and is to be tried anew.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn notice_event<'a>(
        &'a self,
        occurrence: &'a Occurrence,
        event: &'a str,
        instead: Option<&'a OccurrenceId>,
    ) -> Answer<'a, Noticed> {
        Box::pin(async move {
            let doing = CatalogError::doing("note what fired a trigger");
            let key = keys::event(&occurrence.source_id, event);
            let of = |id: &OccurrenceId| {
                StoredRecord::of("trigger's event", &Seen { occurrence: id.clone() }, 1)
            };
            let mark = of(&occurrence.id)?.put(&key).map_err(doing)?;
            let mark = match instead {
                None => mark.if_absent(),
                Some(known) => mark.when(of(known)?.is_kept().map_err(doing)?),
            };
            let mut writes = entered(occurrence)?;
            writes.push(mark.expires_at(occurrence.due_at.as_second() + KEPT));
            if self.table.try_transact(writes).await.map_err(doing)? {
                return Ok(Noticed::New);
            }
            let known: Option<Seen> = record::get(&self.table, &key).await.map_err(doing)?;
            // Only the time between the two requests could have removed it.
            Ok(Noticed::Known(known.map_or_else(|| occurrence.id.clone(), |seen| seen.occurrence)))
        })
    }

    /// The occurrence of an event that was reported before.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn seen_event(&self, source: &str, event: &str) -> Answer<'_, Option<OccurrenceId>> {
        let (key, doing) = (keys::event(source, event), "look up what fired a trigger");
        record::one_as(&self.table, key, doing, |seen: Seen| seen.occurrence)
    }
}
