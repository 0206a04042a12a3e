//! Comparing what is there with what is known, apart from asking for it: by the rules of the domain, in this process.

use std::hint::black_box;
use std::time::Instant;

use countersign_monitor::{
    Found, MAX_BYTES, MAX_ITEMS, MAX_SEEN, MarkKind, Overlap, Position, novel,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

/// How often it is compared.
const TIMES: u32 = 2_000;

/// Milliseconds for so many records that are all known.
pub(super) fn milliseconds(records: usize) -> f64 {
    let now = Timestamp::from_second(1_795_000_000).unwrap_or(Timestamp::UNIX_EPOCH);
    let found = |nth: usize| Found {
        key: format!("{nth}@2026-11-01T00:00:00Z"),
        at: Some(now - SignedDuration::from_mins(i64::try_from(nth).unwrap_or(0))),
        record: json!({ "id": nth, "title": format!("Record {nth}") }),
    };
    let there: Vec<Found> = (0..records).map(found).collect();
    let how = Overlap {
        kind: MarkKind::Cursor,
        late: SignedDuration::from_hours(24),
        now,
        most: MAX_ITEMS,
        bytes: MAX_BYTES,
        memory: MAX_SEEN,
        is_cut: false,
    };
    let start = Position::start(MarkKind::Cursor);
    let known = novel(Some(&start), there.clone(), how).map_or(start, |seen| seen.position);
    let began = Instant::now();
    for _ in 0..TIMES {
        let _ = black_box(novel(Some(black_box(&known)), there.clone(), how));
    }
    began.elapsed().as_secs_f64() * 1_000.0 / f64::from(TIMES)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn comparing_takes_time() {
        assert!(milliseconds(5) > 0.0);
    }
}
