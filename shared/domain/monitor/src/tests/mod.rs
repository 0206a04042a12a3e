mod crashes;
mod hours;
mod model;
mod novelty;
mod spec;
mod steps;
