//! What looks cost in a month, from published prices.
//!
//! Prices are those of us-east-1, per use, without free tiers and discounts, as published in November 2026. How long an
//! invocation takes in AWS is an assumption, the same for both sides; everything else follows from what was counted.

/// Dollars for an invocation of a function.
const INVOCATION: f64 = 0.20 / 1e6;
/// Dollars for a second of a function with a gigabyte, on x86.
const GIGABYTE_SECOND: f64 = 0.000_016_666_7;
/// Dollars for a read of DynamoDB on demand: an item of up to 4 KB, strongly consistent.
const READ_UNIT: f64 = 0.125 / 1e6;
/// Dollars for a write of DynamoDB on demand: an item of up to 1 KB; in a transaction two.
const WRITE_UNIT: f64 = 0.625 / 1e6;
/// Dollars for an invocation by EventBridge Scheduler.
const SCHEDULED: f64 = 1.00 / 1e6;
/// Dollars for a state transition of Step Functions, standard.
const TRANSITION: f64 = 0.025 / 1e3;

/// How many monitors look how often in a month of 30 days: a thousand, every five minutes.
pub(super) const LOOKS: f64 = 1_000.0 * 30.0 * 24.0 * 12.0;

/// Assumed: seconds of an invocation that asks no source.
const OWN_SECONDS: f64 = 0.03;
/// Assumed: seconds until a source has answered. The questions of one look are asked side by side.
const SOURCE_SECONDS: f64 = 0.1;
/// Gigabytes of the functions that ask sources, and of the others.
const ASKING_GB: f64 = 1.5;
const OTHER_GB: f64 = 0.25;

/// Bytes of a watermark that remembers a record, and of a unit that is read.
const MARK_BYTES: f64 = 55.0;
const READ_BYTES: f64 = 4_096.0;

/// What one look, or one run, needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Needs {
    pub(super) transitions: f64,
    /// Invocations that ask sources, and others.
    pub(super) asking: f64,
    pub(super) other: f64,
    pub(super) read_units: f64,
    pub(super) write_units: f64,
}

impl Needs {
    /// Dollars of a month.
    pub(super) fn month(&self) -> f64 {
        let seconds = self.asking * ASKING_GB * (OWN_SECONDS + SOURCE_SECONDS)
            + self.other * OTHER_GB * OWN_SECONDS;
        let one = SCHEDULED
            + self.transitions * TRANSITION
            + (self.asking + self.other) * INVOCATION
            + seconds * GIGABYTE_SECOND
            + self.read_units * READ_UNIT
            + self.write_units * WRITE_UNIT;
        one * LOOKS
    }
}

/// Units that an idle look reads: the monitor, its owner's rights, agent and playbook with the system's of the same name,
/// where it stands, and its watermarks with what each remembers.
pub(super) fn own_read_units(steps: usize, records: usize) -> f64 {
    let marks = steps as f64 * records as f64 * MARK_BYTES;
    1.0 + 1.0 + 4.0 + (marks / READ_BYTES).ceil().max(1.0)
}

/// Units that an idle look writes: state and clock in one transaction, and the clock's place in the index, which is moved.
pub(super) const OWN_WRITE_UNITS: f64 = 2.0 * 2.0 + 2.0;

#[cfg(test)]
mod tests {
    use super::{Needs, own_read_units};

    #[test]
    fn a_month_is_the_sum_of_what_is_needed() {
        let nothing =
            Needs { transitions: 0.0, asking: 0.0, other: 0.0, read_units: 0.0, write_units: 0.0 };
        assert!((nothing.month() - 8.64).abs() < 1e-9, "the clock itself");
        let more = Needs { transitions: 10.0, ..nothing };
        assert!((more.month() - nothing.month() - 2_160.0).abs() < 1e-6);
        assert!((own_read_units(1, 50) - 7.0).abs() < 1e-9);
        assert!(own_read_units(20, 50) > own_read_units(1, 50));
    }
}
