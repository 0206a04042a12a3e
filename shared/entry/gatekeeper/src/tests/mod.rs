//! The protocol over stores in memory that keep the conditions of the real ones.

mod adapters;
mod crash;
mod deciding;
mod ending;
mod make;
mod opening;
mod races;
mod send_problems;
mod strikes;
mod withdrawn;
