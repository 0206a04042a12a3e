//! The Lambda of `run-begin`.
fn main() {}
