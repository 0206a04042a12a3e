mod circles;
mod hook;
mod inputs;
mod spec;
