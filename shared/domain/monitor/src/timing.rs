//! When a monitor looks: as its owner says, else as its playbook says (F-133).

use countersign_playbook::MonitorConfig;
use jiff::Timestamp;
use serde_json::json;

use crate::hours::ActiveHours;
use crate::interval::Interval;
use crate::spec::MonitorSpec;

/// When a monitor looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// How often.
    pub interval: Interval,
    /// In which hours; none, at any time.
    pub hours: Option<ActiveHours>,
    /// Whether a look that finds nothing new leaves no trace but the time.
    pub suppress_if_empty: bool,
}

/// Neither the monitor nor its playbook says how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoTiming;

impl Timing {
    /// The timing of a monitor whose playbook says this.
    ///
    /// # Errors
    /// [`NoTiming`] when nobody says how often.
    pub fn of(spec: &MonitorSpec, playbook: Option<&MonitorConfig>) -> Result<Self, NoTiming> {
        let said = playbook.and_then(|config| Interval::of(&config.interval));
        let hours = || {
            let hours = playbook?.active_hours.as_ref()?;
            let hours = json!({"start": hours.start, "end": hours.end, "timezone": hours.timezone});
            serde_json::from_value(hours).ok()
        };
        Ok(Self {
            interval: spec.interval.or(said).ok_or(NoTiming)?,
            hours: spec.active_hours.clone().or_else(hours),
            suppress_if_empty: spec
                .suppress_if_empty
                .or_else(|| playbook.map(|config| config.suppress_if_empty))
                .unwrap_or(true),
        })
    }

    /// Whether a moment lies in its hours.
    #[must_use]
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.hours.as_ref().is_none_or(|hours| hours.contain(at))
    }
}
