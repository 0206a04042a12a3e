//! `/discoveries/stats` (F-351).

use std::collections::BTreeMap;

use countersign_knowledge::Discovery;
use countersign_store_kit::Window;
use countersign_web::Json;
use jiff::tz::TimeZone;
use serde::Serialize;
use utoipa::ToSchema;

use super::JsonOf;
use super::knowledge::{Graph, Part};

/// Discoveries of one request to the table.
const PAGE: i32 = 1_000;

/// So many pages are read.
const MAX_PAGES: usize = 10;

/// How many discoveries there are, by what they are.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Stats {
    /// Those that are counted: the newest 10,000.
    counted: u64,
    /// Whether these are all.
    is_complete: bool,
    /// By type.
    by_type: BTreeMap<String, u64>,
    /// By the kind of entity.
    by_entity_type: BTreeMap<String, u64>,
    /// By `stored` and `pending`.
    by_status: BTreeMap<String, u64>,
    /// By day (UTC).
    by_day: BTreeMap<String, u64>,
    /// By the connector they came from.
    by_source: BTreeMap<String, u64>,
    /// How many runs they are of.
    executions: u64,
}

/// Figures over what the caller's runs found.
#[utoipa::path(
    get, path = "/discoveries/stats", tag = "knowledge", params(Part),
    responses((status = 200, body = Stats))
)]
pub(crate) async fn detail(graph: Graph) -> JsonOf<Stats> {
    let (mut stats, mut runs, mut next) = (Stats::default(), BTreeMap::new(), None);
    for _ in 0..MAX_PAGES {
        let window = Window { limit: PAGE, after: next };
        let page = graph.ctx.knowledge.discoveries(&graph.scope, window).await?;
        for found in &page.items {
            stats.add(found);
            runs.insert(found.execution_id.clone(), ());
        }
        next = page.next;
        if next.is_none() {
            stats.is_complete = true;
            break;
        }
    }
    stats.executions = runs.len() as u64;
    Ok(Json(stats))
}

impl Stats {
    fn add(&mut self, found: &Discovery) {
        let day = found.discovered_at.to_zoned(TimeZone::UTC).date().to_string();
        let source = found.source_connector.as_deref();
        let counts = [
            (&mut self.by_type, Some(found.discovery_type.as_str())),
            (&mut self.by_entity_type, Some(found.entity_type.as_str())),
            (&mut self.by_status, Some(found.status.as_str())),
            (&mut self.by_day, Some(day.as_str())),
            (&mut self.by_source, source),
        ];
        for (count, name) in counts {
            if let Some(name) = name {
                *count.entry(name.to_owned()).or_default() += 1;
            }
        }
        self.counted += 1;
    }
}
