//! Which models agents may choose, what they cost, and how much of that a run and a person in a day may spend: a document that an
//! administrator writes for the whole deployment.

mod choice;
mod list;
mod money;
mod name;

pub use choice::{ModelChoice, Temperature};
pub use list::{ListedModel, ModelList, Price, Terms};
pub use money::{Amount, Cost, Currency};
pub use name::ModelName;

#[cfg(test)]
mod tests;
