//! Budgets. A call is one conditional update while its windows are the stored ones, and one more write when a window
//! begins anew.

use std::time::Duration;

use countersign_resilience::{Budget, Counter, Counters, Decision, LimitKey, Permit, Window};
use countersign_store_kit::{Expr, Key, StoreError, Write, decode};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{EgressStore, TRIES};

/// How long counts are kept after their last window, in seconds.
const SPARE: i64 = 86_400;
/// When so many others count that a turn does not come.
const BUSY: Duration = Duration::from_millis(50);

/// Counters, flat, so that one update can count in several windows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RateItem {
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_start: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second_used: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minute_start: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minute_used: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hour_start: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hour_used: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    day_start: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    day_used: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    month_start: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    month_used: Option<u32>,
}

impl RateItem {
    fn of(version: u64, counters: &Counters) -> Self {
        let start = |window| counters.get(window).map(|counter| counter.start);
        let used = |window| counters.get(window).map(|counter| counter.used);
        Self {
            version,
            second_start: start(Window::Second),
            second_used: used(Window::Second),
            minute_start: start(Window::Minute),
            minute_used: used(Window::Minute),
            hour_start: start(Window::Hour),
            hour_used: used(Window::Hour),
            day_start: start(Window::Day),
            day_used: used(Window::Day),
            month_start: start(Window::Month),
            month_used: used(Window::Month),
        }
    }

    pub(crate) fn counters(&self) -> Counters {
        let mut counters = Counters::default();
        for window in Window::ALL {
            let (start, used) = match window {
                Window::Second => (self.second_start, self.second_used),
                Window::Minute => (self.minute_start, self.minute_used),
                Window::Hour => (self.hour_start, self.hour_used),
                Window::Day => (self.day_start, self.day_used),
                Window::Month => (self.month_start, self.month_used),
            };
            if let (Some(start), Some(used)) = (start, used) {
                counters.set(window, Counter { start, used });
            }
        }
        counters
    }
}

pub(crate) fn key(subject: &LimitKey) -> Key {
    Key::new(format!("RATE#{}", subject.as_str()), "RATE")
}

impl EgressStore {
    pub(crate) async fn take(
        &self,
        subject: &LimitKey,
        budget: &Budget,
        now: Timestamp,
        patience: Duration,
    ) -> Result<Permit, StoreError> {
        if budget.is_unlimited() {
            return Ok(Permit::Go);
        }
        let key = key(subject);
        for _ in 0..TRIES {
            let known = match self.table.write(count(&key, budget, now)?).await {
                Ok(()) => return Ok(Permit::Go),
                Err(StoreError::ConditionFailed { item, .. }) => match item {
                    Some(item) => decode::<RateItem>(self.table.name(), *item)?,
                    None => RateItem::default(),
                },
                Err(error) => return Err(error),
            };
            let next = match budget.decide(&known.counters(), now, patience) {
                Decision::Go(next) => next,
                Decision::Wait(time) => return Ok(Permit::Wait(time)),
                Decision::Exhausted(spent) => return Ok(Permit::Exhausted(spent)),
            };
            if self.table.try_write(begin(&key, &known, &next)?).await? {
                return Ok(Permit::Go);
            }
        }
        Ok(Permit::Wait(BUSY))
    }
}

/// One more call in every limited window, if each is the stored one and has room.
fn count(key: &Key, budget: &Budget, now: Timestamp) -> Result<Write, StoreError> {
    let mut write = Write::update(key).add("version", &1)?;
    for (window, limit) in budget.limits() {
        let name = window.as_str();
        let text = format!("#{name}_start = :{name}_start AND #{name}_used < :{name}_limit");
        let room = Expr::new(&text)
            .bind(&format!("{name}_start"), &window.start(now))?
            .bind(&format!("{name}_limit"), &limit)?;
        write = write.add(&format!("{name}_used"), &1)?.when(room);
    }
    Ok(write)
}

/// Stores counters in which a window begins anew, unless somebody else was faster.
fn begin(key: &Key, known: &RateItem, next: &Counters) -> Result<Write, StoreError> {
    let unchanged = if known.version == 0 {
        Expr::absent()
    } else {
        Expr::new("#version = :seen").bind("seen", &known.version)?
    };
    let ends = Window::ALL
        .into_iter()
        .filter_map(|window| Some(window.end(next.get(window)?.start).as_second()));
    let last = ends.max().unwrap_or_default().saturating_add(SPARE);
    let item = RateItem::of(known.version + 1, next);
    Ok(Write::put(key, &item)?.when(unchanged).expires_at(last))
}

#[cfg(test)]
mod tests {
    use countersign_resilience::{Budget, Counter, Counters, Decision, Window};
    use jiff::Timestamp;
    use std::time::Duration;

    use super::RateItem;

    #[test]
    fn f_105_counters_survive_their_item() {
        let now: Timestamp = "2026-03-04T05:06:07Z".parse().unwrap();
        let budget = Budget { second: Some(1), month: Some(9), ..Budget::default() };
        let Decision::Go(next) = budget.decide(&Counters::default(), now, Duration::ZERO) else {
            panic!("nothing was used yet");
        };
        let item = RateItem::of(3, &next);
        assert_eq!((item.version, item.counters()), (3, next));
        let mut all = Counters::default();
        for (window, used) in Window::ALL.into_iter().zip(1..) {
            all.set(window, Counter { start: window.start(now), used });
        }
        let text = serde_json::to_string(&RateItem::of(1, &all)).unwrap();
        assert_eq!(serde_json::from_str::<RateItem>(&text).unwrap().counters(), all);
        assert_eq!(RateItem::default().counters(), Counters::default());
    }
}
