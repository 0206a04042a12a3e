//! `detect_new_entities` (F-062): entities that the knowledge graph did not have before, in the first part of it that the agent
//! works in.

use std::sync::Arc;

use countersign_knowledge::discovered::Discovered;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{Discovery, DiscoveryStatus, DiscoveryType, EntityType, Namespace};
use countersign_monitor::{Found, MarkKind, NewItems, Position};
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_registry::actions::detect_new_entities::{
    DetectNewEntities, Inputs, NewEntity, Params,
};
use countersign_store_catalog::Catalog;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::by_time::{Listed, Page, Read};
use crate::detection::Detection;
use crate::look::{Look, Seen};
use crate::origins::{Led, Origins};

/// The parts of the graph that an agent works in.
pub trait Namespaces: Send + Sync {
    /// The first of them; the default one where it names none.
    fn first<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Namespace>;
}

impl Namespaces for Catalog {
    fn first<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Namespace> {
        Box::pin(async move {
            let found = self.profile_named(&call.owner, &call.info.profile_id).await;
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
    /// What led to runs: for monitors, to which nothing is new that they led to themselves.
    pub origins: Option<Arc<dyn Origins>>,
}

impl Detection for NewEntities {
    type Action = DetectNewEntities;

    const KIND: MarkKind = MarkKind::Timestamp;

    /// A position is a time: it means the same for other types.
    fn source(_: &Inputs, _: &Params) -> Map<String, Value> {
        Map::new()
    }

    fn nothing(before: Option<String>) -> Value {
        json!({"entities": [], "count": 0, "has_more": false, "watermark": before, "previous_watermark": before})
    }

    async fn find(
        &self,
        call: &Call,
        look: Look<'_>,
        inputs: Inputs,
        params: Params,
    ) -> Result<Seen, ActionError> {
        let namespace = self.namespaces.first(call).await?;
        let scope = Scope { owner: call.owner.clone(), namespace };
        let fits = |one: &Discovery| fits(one, &inputs, &params);
        let page = |since, after| self.page(&scope, since, after, fits);
        let read = Read::of(look, call.now, page).await?;
        let read = read.unstuck(look, "TOO_MANY_DISCOVERIES", "found")?;
        let (novel, led) = self.others(call, look, &read).await?;
        let runs = novel.items.iter().filter_map(|item| read.known.get(&item.key));
        let led_by = led.to(runs);
        let metadata = Map::from_iter([("entity_types".to_owned(), json!(inputs.entity_types))]);
        let seen = read.seen("entities", novel, look, metadata);
        Ok(Seen { led_by, ..seen }.without(led.own))
    }
}

impl Seen {
    /// The position goes past so many that the monitor has led to itself, and the watermark says how many they were.
    fn without(self, own: usize) -> Self {
        if own == 0 {
            return self;
        }
        let mut metadata = self.metadata;
        metadata.insert("own_left_out".to_owned(), own.into());
        Self { metadata, advances: true, ..self }
    }
}

impl NewEntities {
    /// What is new, less what the monitor that looks has led to itself: it would go round in circles.
    async fn others(
        &self,
        call: &Call,
        look: Look<'_>,
        read: &Read<String>,
    ) -> Result<(NewItems, Led), ActionError> {
        let mut led = Led::default();
        let mut previous = look.previous.cloned();
        loop {
            let from = Look { previous: previous.as_ref(), ..look };
            let novel = from.novel(read.found.clone(), Self::KIND, call.now)?;
            let (Some(origins), Some(monitor)) = (&self.origins, look.monitor) else {
                return Ok((novel, led));
            };
            let runs = novel.items.iter().filter_map(|item| read.known.get(&item.key));
            led.read(origins.as_ref(), call, runs).await?;
            let is_own = |item: &&Found| led.is_led_by(read.known.get(&item.key), monitor);
            let own: Vec<&Found> = novel.items.iter().filter(is_own).collect();
            if own.is_empty() {
                return Ok((novel, led));
            }
            let count = own.len();
            let known = previous.unwrap_or_else(|| Position::start(Self::KIND));
            previous = Some(known.knowing(own.into_iter(), call.now));
            led.own += count;
        }
    }

    /// A page of discoveries.
    fn page<'a>(
        &'a self,
        scope: &'a Scope,
        since: Option<Timestamp>,
        after: Option<String>,
        fits: impl Fn(&Discovery) -> bool + Send + 'a,
    ) -> ActionFuture<'a, Page<String>> {
        Box::pin(async move {
            let page = self.discovered.since(scope, since, after.as_deref()).await;
            let (page, next) = page.map_err(|error| ActionError::from_failure(error.as_ref()))?;
            let listed = page.iter().map(|one| Listed {
                at: one.discovered_at,
                found: fits(one).then(|| (item(one), one.execution_id.clone())),
            });
            Ok((listed.collect(), next))
        })
    }
}

fn fits(found: &Discovery, inputs: &Inputs, params: &Params) -> bool {
    let source = found.source_connector.as_deref();
    found.discovery_type == DiscoveryType::NewEntity
        && found.status != DiscoveryStatus::GivenUp
        && inputs
            .entity_types
            .iter()
            .any(|wanted| EntityType::from(wanted.as_str()) == found.entity_type)
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
