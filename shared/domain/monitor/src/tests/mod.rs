mod crashes;
mod hours;
mod looks;
mod model;
mod novelty;
mod spec;
mod steps;
mod tries;
