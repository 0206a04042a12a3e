//! What the native schedule of a schedule or a monitor is to be.

use countersign_monitor::{MonitorSpec, Timing};
use countersign_states::Recurring;
use countersign_store_catalog::{Catalog, CatalogError, Stored};
use serde_json::json;

use crate::{Schedule, Tick};

/// The native schedule of a schedule that is enabled; none of one that is not.
#[must_use]
pub fn native(schedule: &Schedule) -> Option<Recurring> {
    let times = schedule.spec.timetable().filter(|_| schedule.spec.is_enabled)?;
    let tick = Tick { owner: schedule.user_id.clone()?, schedule: schedule.id.clone() };
    Some(Recurring {
        name: schedule.id.to_string(),
        expression: times.native().to_owned(),
        timezone: schedule.spec.timezone.to_string(),
        event: json!(tick),
    })
}

/// The native schedule of a monitor that looks; none of one that does not, or of which nothing says how often (F-217).
///
/// # Errors
/// [`CatalogError`] when the table does not answer.
pub async fn native_of_monitor(
    catalog: &Catalog,
    monitor: &Stored<MonitorSpec>,
) -> Result<Option<Recurring>, CatalogError> {
    let (true, Some(owner)) = (monitor.spec.is_active, &monitor.user_id) else { return Ok(None) };
    let Some(agent) = catalog.profiles().get(owner, &monitor.spec.profile_id).await? else {
        return Ok(None);
    };
    let Some(named) = monitor.spec.playbook(&agent.spec) else { return Ok(None) };
    let playbook = catalog.playbooks().get(owner, &named.to_owned()).await?;
    let config = playbook.as_ref().and_then(|one| one.playbook.monitor_config.as_ref());
    let Ok(timing) = Timing::of(&monitor.spec, config) else { return Ok(None) };
    let event = json!({ "owner": owner, "monitor": monitor.id });
    Ok(Some(Recurring::every(monitor.id.to_string(), timing.interval.minutes(), event)))
}
