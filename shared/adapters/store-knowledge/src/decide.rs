//! Decisions of people: all of one is written or nothing, and nothing over what somebody else has written in between.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::decided::Decided;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::review::Decision;
use countersign_knowledge::{Entity, EntityId, KnowledgeError, ReviewRow, ReviewStatus};
use countersign_store_kit::{Expr, Key, StoreError, Write, decode};

use crate::items::{Versioned, open};
use crate::writes::{TRIES, by_name, entity_pointers, log_write, unique};
use crate::{Answer, KnowledgeStore, Result, keys};

/// Links are followed so often; each time all that are new at once.
const MAX_ROUNDS: usize = 60;

/// The number of an entity's last change.
type Versions = BTreeMap<EntityId, u64>;

/// Says what is to be written, from what is stored.
pub type Judge<'a> = &'a (dyn Fn(&Decided) -> std::result::Result<Decision, KnowledgeError> + Sync);

impl KnowledgeStore {
    /// These entities with all that they are linked to, strongly consistent.
    pub(crate) async fn decided(
        &self,
        scope: &Scope,
        ids: BTreeSet<EntityId>,
    ) -> Result<(Decided, Versions)> {
        let (mut decided, mut versions) = (Decided::default(), Versions::new());
        let mut wanted = ids;
        for _ in 0..MAX_ROUNDS {
            if wanted.is_empty() {
                break;
            }
            let found = self.versioned(scope, &wanted).await?;
            versions.extend(found.iter().map(|(entity, version)| (entity.id.clone(), *version)));
            decided.add(wanted, found.into_iter().map(|(entity, _)| entity).collect());
            wanted = decided.missing();
        }
        Ok((decided, versions))
    }

    async fn versioned(
        &self,
        scope: &Scope,
        ids: &BTreeSet<EntityId>,
    ) -> Result<Vec<(Entity, u64)>> {
        let wanted: Vec<Key> = ids.iter().map(|id| keys::entity(scope, id)).collect();
        let found = self.table.get_many(&wanted).await?;
        let read = found.into_values().map(|item| {
            let item: Versioned = decode(self.table.name(), item)?;
            Ok((open(self.table.name(), &item.json)?, item.version))
        });
        read.collect()
    }

    /// Writes what a person decides about these entities. It is judged again when somebody else has written in between.
    ///
    /// # Errors
    /// [`StoreError`]; inside, the refusal of the judge.
    pub fn decide<'a>(
        &'a self,
        scope: &'a Scope,
        about: BTreeSet<EntityId>,
        judge: Judge<'a>,
    ) -> Answer<'a, std::result::Result<Decision, KnowledgeError>> {
        Box::pin(async move {
            for attempt in 1..=TRIES {
                let (decided, versions) = self.decided(scope, about.clone()).await?;
                let decision = match judge(&decided) {
                    Ok(decision) => decision,
                    Err(refusal) => return Ok(Err(refusal)),
                };
                match self.write_decision(scope, &decision, &versions).await {
                    Ok(()) => return Ok(Ok(decision)),
                    // Entities come first. Somebody else's answer to the same review or row stays.
                    Err(StoreError::ConditionFailed { index, .. })
                        if index < decision.entities.len() => {}
                    // Two transactions over one item: the table cancels one of them.
                    Err(StoreError::Unavailable { .. }) if attempt < TRIES => {}
                    Err(error) => return Err(error),
                }
            }
            Err(StoreError::Unavailable {
                table: self.table.name().to_owned(),
                reason: "too many writers of one entity".to_owned(),
            })
        })
    }

    async fn write_decision(
        &self,
        scope: &Scope,
        decision: &Decision,
        versions: &Versions,
    ) -> Result<()> {
        let mut writes = Vec::new();
        for entity in &decision.entities {
            writes.push(entity_write(scope, entity, versions.get(&entity.id).copied())?);
        }
        if let Some(row) = &decision.log {
            writes.push(log_write(scope, row)?.1.if_absent());
        }
        if let Some(row) = &decision.reversed {
            let open = Expr::new("attribute_not_exists(#reversed_at)");
            writes.push(log_write(scope, row)?.1.when(open));
        }
        for (before, review) in &decision.reviews {
            writes.push(review_write(scope, review, *before)?);
        }
        if writes.is_empty() {
            return Ok(());
        }
        // One that names nothing yet is skipped by readers.
        let new = decision.entities.iter().filter(|entity| !versions.contains_key(&entity.id));
        let new: Vec<Entity> = new.cloned().collect();
        self.table.write_many(unique(entity_pointers(scope, &new)?)).await?;
        self.table.transact(writes).await
    }
}

fn entity_write(scope: &Scope, entity: &Entity, version: Option<u64>) -> Result<Write> {
    let json = serde_json::to_string(entity).map_err(StoreError::encode)?;
    let seen = version.unwrap_or_default();
    let item = Versioned { version: seen + 1, json };
    let (pk, sk) = by_name(scope, entity);
    let write = Write::put(&keys::entity(scope, &entity.id), &item)?.indexed(&pk, &sk);
    Ok(write.when(Expr::version(seen)?))
}

fn review_write(scope: &Scope, review: &ReviewRow, before: Option<ReviewStatus>) -> Result<Write> {
    let place = keys::place(review.created_at, review.id.as_str());
    let write = Write::put(&keys::review(scope, &review.id), review)?;
    let write = write.indexed(&keys::reviews(scope, review.status), &place);
    Ok(match before {
        Some(before) => write.when(Expr::new("#status = :before").bind("before", &before)?),
        None => write.if_absent(),
    })
}
