//! Monitors: what agents look at by themselves.

use countersign_monitor::{MonitorId, MonitorSpec};
use countersign_store_kit::Write;

use crate::Result;
use crate::monitor_store::Clock;
use crate::stored::{Spec, Stored};
use crate::{CatalogError, keys};

impl Spec for MonitorSpec {
    type Id = MonitorId;

    const KIND: &'static str = "monitor";
    const KEY: &'static str = "MONITOR";

    fn property(&self) -> String {
        self.profile_id.to_string()
    }

    /// A monitor that looks has a clock; one that was made or changed is due at once.
    fn written_with(
        before: Option<&Stored<Self>>,
        after: Option<&Stored<Self>>,
    ) -> Result<Vec<Write>> {
        let clock = after.filter(|monitor| monitor.spec.is_active).and_then(|monitor| {
            let owner = monitor.user_id.clone()?;
            Some(Clock { owner, monitor: monitor.id.clone(), overdue_at: monitor.updated_at })
        });
        let doing = CatalogError::doing("set the clock of the monitor");
        match (clock, before) {
            (Some(clock), _) => Ok(vec![clock.put().map_err(doing)?]),
            (None, Some(before)) => Ok(vec![Write::delete(&keys::monitor_clock(&before.id))]),
            (None, None) => Ok(Vec::new()),
        }
    }
}
