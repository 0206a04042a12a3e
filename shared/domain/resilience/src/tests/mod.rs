//! Budgets, breakers and the failure table, row by row and under every interleaving.

use jiff::Timestamp;

mod breaker;
mod budget;
mod cached_answer;
mod call_failure;
mod source_state;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn seconds(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}
