//! `get_monitor_watermark` (F-064). There is no action that sets one: what a run is to process is committed by its end alone
//! (K-66).

use std::sync::Arc;

use countersign_monitor::{MonitorId, Watermark};
use countersign_registry::action::{ActionError, ActionFuture, Call, Handler};
use countersign_registry::actions::get_monitor_watermark::GetMonitorWatermark;
use countersign_registry::{Action as _, arguments};
use countersign_store_catalog::MonitorStore;
use serde_json::{Value, json};

/// Where the watermarks of monitors are.
pub trait Marks: Send + Sync {
    /// The watermark of a step; none when it never looked.
    fn mark<'a>(
        &'a self,
        monitor: &'a MonitorId,
        step: &'a str,
    ) -> ActionFuture<'a, Option<Watermark>>;
}

impl Marks for MonitorStore {
    fn mark<'a>(
        &'a self,
        monitor: &'a MonitorId,
        step: &'a str,
    ) -> ActionFuture<'a, Option<Watermark>> {
        Box::pin(async move {
            let standing = self.standing(monitor).await;
            let mut standing = standing.map_err(|error| ActionError::from_failure(&error))?;
            Ok(standing.marks.remove(step))
        })
    }
}

/// The action.
pub struct GetWatermark(pub Arc<dyn Marks>);

impl Handler for GetWatermark {
    fn name(&self) -> &'static str {
        GetMonitorWatermark::NAME
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
        Box::pin(async move {
            let (inputs, _) = arguments::<GetMonitorWatermark>(call)?;
            let monitor = call.info.monitor.as_deref().and_then(|id| MonitorId::parse(id).ok());
            let mark = match monitor {
                Some(monitor) => self.0.mark(&monitor, &inputs.step_name).await?,
                None => None,
            };
            Ok(json!({
                "watermark": mark.as_ref().and_then(|mark| mark.position.as_ref()?.value.clone()),
                "last_checked_at": mark.as_ref().and_then(|mark| mark.last_checked_at),
                "items_found_last": mark.as_ref().map_or(0, |mark| mark.items_found_last),
            }))
        })
    }
}
