//! When a monitor looks: as its owner says, else as its playbook says (F-133).

use countersign_playbook::MonitorConfig;
use jiff::Timestamp;
use serde_json::json;
use thiserror::Error;

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

/// Why nobody knows when a monitor looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoTiming {
    /// Neither the monitor nor its playbook says how often.
    #[error("neither the monitor nor its playbook says how often to look")]
    Interval,
    /// The playbook's active hours cannot be kept, such as those in a time zone that does not exist.
    #[error("the playbook's `active_hours` cannot be kept: check their times and their time zone")]
    Hours,
}

impl Timing {
    /// The timing of a monitor whose playbook says this.
    ///
    /// # Errors
    /// [`NoTiming`] when nobody says how often, or the playbook's hours cannot be kept.
    pub fn of(spec: &MonitorSpec, playbook: Option<&MonitorConfig>) -> Result<Self, NoTiming> {
        let said = playbook.and_then(|config| Interval::of(&config.interval));
        let hours = match (&spec.active_hours, playbook.and_then(|one| one.active_hours.as_ref())) {
            (Some(own), _) => Some(own.clone()),
            (None, Some(said)) => Some(hours(said).ok_or(NoTiming::Hours)?),
            (None, None) => None,
        };
        Ok(Self {
            interval: spec.interval.or(said).ok_or(NoTiming::Interval)?,
            hours,
            suppress_if_empty: spec
                .suppress_if_empty
                .or_else(|| playbook.map(|config| config.suppress_if_empty))
                .unwrap_or(true),
        })
    }

    /// The timing of a monitor of which nothing is known: it is looked at each hour.
    #[must_use]
    pub fn unknown() -> Self {
        Self { interval: Interval::Hour, hours: None, suppress_if_empty: true }
    }

    /// Whether a moment lies in its hours.
    #[must_use]
    pub fn is_open(&self, at: Timestamp) -> bool {
        self.hours.as_ref().is_none_or(|hours| hours.contain(at))
    }
}

/// The hours of a playbook; none when they have no length, or their zone does not exist.
fn hours(said: &countersign_playbook::ActiveHours) -> Option<ActiveHours> {
    let said = json!({ "start": said.start, "end": said.end, "timezone": said.timezone });
    let hours: ActiveHours = serde_json::from_value(said).ok()?;
    (hours.start != hours.end).then_some(hours)
}
