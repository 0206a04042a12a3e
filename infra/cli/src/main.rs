//! The command line of Countersign.
fn main() {}
