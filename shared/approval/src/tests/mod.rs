//! Tests of the protocol as a whole.

mod chain;
mod code;
mod decide;
mod digest;
mod lifecycle;
mod link;
mod make;
mod policy;
mod protocol;
mod record;
