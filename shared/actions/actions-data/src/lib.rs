//! Actions on data at hand: no table, no network, no clock.

mod cross_reference;
mod extract_entities;
pub mod transform;
mod transform_data;

use std::sync::Arc;

use countersign_registry::action::Handler;

/// Every action of this crate.
#[must_use]
pub fn actions() -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(transform_data::TransformData),
        Arc::new(extract_entities::ExtractEntities),
        Arc::new(cross_reference::CrossReference),
    ]
}

#[cfg(test)]
mod tests;
