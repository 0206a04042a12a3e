//! What the questions to the sources cost, apart from the tick itself.

use std::time::Duration;

use countersign_monitor::MonitorId;
use countersign_store_kit::{Counts, counts};
use rustix::time::{ClockId, clock_gettime};

/// Questions under way.
pub(crate) struct Asked {
    before: Counts,
    used: Duration,
}

impl Asked {
    pub(crate) fn begin() -> Self {
        Self { before: counts(), used: processor_time() }
    }

    /// One line per look. `countersign bench monitors` reads these.
    pub(crate) fn end(self, monitor: &MonitorId, request_id: &str) {
        let after = counts();
        let (reads, writes) = (after.reads - self.before.reads, after.writes - self.before.writes);
        let micros = processor_time().saturating_sub(self.used).as_micros();
        let micros = u64::try_from(micros).unwrap_or(u64::MAX);
        tracing::info!(%monitor, request_id, reads, writes, micros, "asked");
    }
}

/// What this process has used of its processor. An invocation has the process for itself.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or_default();
    let nanoseconds = u32::try_from(used.tv_nsec).unwrap_or_default();
    Duration::new(part(used.tv_sec), nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::processor_time;

    #[test]
    fn work_uses_processor_time() {
        let began = processor_time();
        while processor_time() == began {
            std::hint::spin_loop();
        }
        assert!(processor_time() > began);
    }
}
