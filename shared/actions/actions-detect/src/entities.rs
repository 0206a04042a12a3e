//! `detect_new_entities` (F-062): entities that the knowledge graph did not have before, in the first part of it that the agent
//! works in.

use std::sync::Arc;

use countersign_knowledge::discovered::Discovered;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{Discovery, DiscoveryType, Namespace};
use countersign_monitor::{Found, MAX_SEEN, MarkKind, Novel, novel};
use countersign_profile::ProfileId;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::detect_new_entities::{
    DetectNewEntities, Inputs, NewEntity, Params,
};
use countersign_registry::{Action as _, arguments};
use countersign_store_catalog::Catalog;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::look::{Detect, Look, Seen};

/// The parts of the graph that an agent works in.
pub trait Namespaces: Send + Sync {
    /// The first of them; the default one where it names none.
    fn first<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Namespace, ActionError>>;
}

impl Namespaces for Catalog {
    fn first<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Namespace, ActionError>> {
        Box::pin(async move {
            let Ok(id) = ProfileId::parse(&call.info.profile_id) else {
                return Ok(Namespace::default());
            };
            let found = self.profiles().get(&call.owner, &id).await;
            let found = found.map_err(|error| ActionError::from_failure(&error))?;
            let own = found.map(|found| found.spec.knowledge_config.namespaces());
            Ok(own.unwrap_or_default().into_iter().next().unwrap_or_default())
        })
    }
}

/// The detection.
pub struct NewEntities {
    /// What runs have found.
    pub discovered: Arc<dyn Discovered>,
    /// Where the agent works.
    pub namespaces: Arc<dyn Namespaces>,
}

impl Detect for NewEntities {
    fn name(&self) -> &'static str {
        DetectNewEntities::NAME
    }

    fn look<'a>(
        &'a self,
        call: &'a Call,
        look: Look<'a>,
    ) -> BoxFuture<'a, Result<Seen, ActionError>> {
        Box::pin(async move {
            let (inputs, params) = arguments::<DetectNewEntities>(call)?;
            let namespace = self.namespaces.first(call).await?;
            let scope = Scope { owner: call.owner.clone(), namespace };
            let found = self.discovered.since(&scope, since(look), MAX_SEEN).await;
            let (found, has_more) =
                found.map_err(|error| ActionError::from_failure(error.as_ref()))?;
            if has_more && look.previous.is_some_and(|position| position.value.is_some()) {
                let message = format!("more than {MAX_SEEN} things were found since the last look");
                return Err(ActionError::terminal("TOO_MANY_DISCOVERIES", message)
                    .with_help("let the monitor look more often, or reset its watermarks"));
            }
            let found = found.iter().filter(|one| fits(one, &inputs, &params)).map(item).collect();
            let novel = novel(look.previous, found, look.overlap(MarkKind::Timestamp, call.now));
            Ok(seen(novel, look, &inputs))
        })
    }
}

/// Nothing earlier can be new.
fn since(look: Look<'_>) -> Option<Timestamp> {
    let newest: Timestamp = look.previous?.value.as_deref()?.parse().ok()?;
    newest.checked_sub(look.late).ok()
}

fn fits(found: &Discovery, inputs: &Inputs, params: &Params) -> bool {
    let kind = found.entity_type.as_str();
    let source = found.source_connector.as_deref();
    found.discovery_type == DiscoveryType::NewEntity
        && inputs.entity_types.iter().any(|wanted| wanted.eq_ignore_ascii_case(kind))
        && found.confidence >= params.min_confidence
        && params.source_filter.as_deref().is_none_or(|wanted| source == Some(wanted))
}

fn item(found: &Discovery) -> Found {
    let entity = NewEntity {
        name: found.entity_name.clone(),
        kind: found.entity_type.as_str().to_owned(),
        subtype: found.details.get("subtype").and_then(Value::as_str).map(str::to_owned),
        confidence: found.confidence,
        source: found.source_connector.clone().unwrap_or_default(),
        created_at: found.discovered_at.to_string(),
        entity_id: found.entity_id.to_string(),
    };
    let (key, at) = (found.entity_id.to_string(), Some(found.discovered_at));
    Found { key, at, record: json!(entity) }
}

fn seen(novel: Novel, look: Look<'_>, inputs: &Inputs) -> Seen {
    let keys = novel.items.iter().map(|found| found.key.clone()).collect();
    let entities: Vec<Value> = novel.items.into_iter().map(|found| found.record).collect();
    let output = json!({
        "count": entities.len(), "entities": entities,
        "watermark": novel.position.value, "previous_watermark": look.before(),
    });
    let metadata = Map::from_iter([("entity_types".to_owned(), json!(inputs.entity_types))]);
    Seen { output, keys, position: Some(novel.position), metadata }
}
