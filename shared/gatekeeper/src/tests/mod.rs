//! Tests of the protocol over stores in memory.
