//! Actions on data at hand: no table, no network, no clock.

mod cross_reference;
mod extract_entities;
mod given;
pub mod transform;
mod transform_data;

use std::sync::Arc;

use countersign_registry::action::Action;

/// Every action of this crate.
#[must_use]
pub fn actions() -> Vec<Arc<dyn Action>> {
    vec![
        Arc::new(transform_data::TransformData),
        Arc::new(extract_entities::ExtractEntities),
        Arc::new(cross_reference::CrossReference),
    ]
}

#[cfg(test)]
mod tests;
