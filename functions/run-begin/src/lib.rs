//! Plans, seals and starts a run.
