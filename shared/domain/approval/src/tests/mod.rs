//! Tests of the protocol as a whole.

mod chain;
mod code;
mod decide;
mod digest;
mod digest_v1;
mod export;
mod lifecycle;
mod link;
mod make;
mod outcome;
mod policy;
mod protocol;
mod record;
mod revise;
mod strike;
mod uncounted;
mod vectors;
