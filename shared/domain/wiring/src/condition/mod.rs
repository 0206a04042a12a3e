//! Conditions (F-158, K-56).
//!
//! ```text
//! condition  = all (OR all)*
//! all        = one (AND one)*
//! one        = NOT one | "(" condition ")" | test
//! test       = value
//!            | value (== | != | > | >= | < | <=) value
//!            | value [NOT] CONTAINS value | value [NOT] IN value
//!            | {reference} IS [NOT] DEFINED
//! value      = {reference} | 'text' | "text" | number | true | false | null | [value, …]
//! ```
//!
//! Keywords in any case. A test with an undefined value is false, whatever the comparison; only `is defined` asks for
//! it. `NOT` turns a test around, so `NOT {x} == 1` is true when `x` is undefined. A value alone holds unless it is
//! undefined, null, false, zero or empty. Null is defined. Values of different types are never equal and have no order, except
//! that a text which is a decimal (`1250.00`), unless the condition has it in quotes, is the number it writes; two such texts
//! have the order of their numbers. Of a number and a text that is not one neither is more: such a test cannot be decided, nor
//! can `NOT` of it, and a condition that hangs on it does not hold.

mod compare;
mod parse;
mod settled;

use std::borrow::Cow;
use std::fmt;

use countersign_decimal::Decimal;
use serde_json::Value;

use self::compare::{Texts, compare};
pub use self::settled::Settled;
use crate::error::SyntaxError;
use crate::reference::Reference;
use crate::scope::Scope;

/// A condition that can be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    root: Expression,
}

/// A node of a condition.
#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Not(Box<Expression>),
    Compare(Operand, Comparison, Operand),
    Defined(Reference),
    Holds(Operand),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
enum Comparison {
    #[strum(to_string = "==")]
    Equal,
    #[strum(to_string = "!=")]
    Unequal,
    #[strum(to_string = ">")]
    Greater,
    #[strum(to_string = ">=")]
    AtLeast,
    #[strum(to_string = "<")]
    Less,
    #[strum(to_string = "<=")]
    AtMost,
    #[strum(to_string = "contains")]
    Contains,
    #[strum(to_string = "in")]
    In,
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Reference(Reference),
    Literal(Value),
}

impl Condition {
    /// Reads a condition of at most 10,000 characters, 1,000 tests and 32 nested parentheses.
    ///
    /// # Errors
    /// [`SyntaxError`] with the place of what does not fit.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        parse::condition(text).map(|root| Self { root })
    }

    /// Whether it holds. What cannot be decided does not.
    #[must_use]
    pub fn holds(&self, scope: &Scope) -> bool {
        self.root.truth(scope) == Some(true)
    }

    /// Why it cannot be decided, if it cannot: which two values have no order.
    #[must_use]
    pub fn undecided(&self, scope: &Scope) -> Option<String> {
        let is_undecided = self.root.truth(scope).is_none();
        is_undecided.then(|| self.root.unordered(scope)).flatten()
    }

    /// The references in it, in order.
    #[must_use]
    pub fn references(&self) -> Vec<&Reference> {
        let mut found = Vec::new();
        self.root.collect(&mut found);
        found
    }

    /// Whether it cannot hold where the references that are meant are undefined. That it could is assumed of every `NOT`.
    #[must_use]
    pub fn needs(&self, meant: &dyn Fn(&Reference) -> bool) -> bool {
        self.root.needs(meant)
    }

    /// The same condition with other references.
    #[must_use]
    pub fn map(&self, change: &dyn Fn(&Reference) -> Reference) -> Self {
        Self { root: self.root.map(change) }
    }
}

impl Expression {
    /// `None` when it hangs on values that have no order.
    fn truth(&self, scope: &Scope) -> Option<bool> {
        match self {
            Self::Any(parts) => either(parts, true, scope),
            Self::All(parts) => either(parts, false, scope),
            Self::Not(inner) => inner.truth(scope).map(|holds| !holds),
            Self::Defined(reference) => Some(reference.value(scope).is_some()),
            Self::Holds(operand) => Some(operand.value(scope).is_some_and(|value| truthy(&value))),
            Self::Compare(one, how, other) => match (one.value(scope), other.value(scope)) {
                // A number is never the text that the condition itself has in quotes.
                (Some(left), Some(right)) if one.is_quoted() || other.is_quoted() => {
                    let same = left.is_number() == right.is_number();
                    if same {
                        compare(&left, *how, &right, Texts::Written)
                    } else {
                        Some(*how == Comparison::Unequal)
                    }
                }
                (Some(left), Some(right)) => {
                    let texts = if one.is_list() || other.is_list() {
                        Texts::Listed
                    } else {
                        Texts::Numbers
                    };
                    compare(&left, *how, &right, texts)
                }
                _ => Some(false),
            },
        }
    }

    /// The first comparison of values that have no order, in words.
    fn unordered(&self, scope: &Scope) -> Option<String> {
        match self {
            Self::Any(parts) | Self::All(parts) => {
                parts.iter().find_map(|part| part.unordered(scope))
            }
            Self::Not(inner) => inner.unordered(scope),
            Self::Compare(left, _, right) if self.truth(scope).is_none() => {
                let (left, right) = (left.value(scope)?, right.value(scope)?);
                Some(format!("`{}` cannot be compared with `{}`", shown(&left), shown(&right)))
            }
            Self::Compare(..) | Self::Defined(_) | Self::Holds(_) => None,
        }
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Reference>) {
        match self {
            Self::Any(parts) | Self::All(parts) => {
                parts.iter().for_each(|part| part.collect(found));
            }
            Self::Not(inner) => inner.collect(found),
            Self::Defined(reference) => found.push(reference),
            Self::Holds(operand) => found.extend(operand.reference()),
            Self::Compare(left, _, right) => {
                found.extend([left, right].into_iter().filter_map(Operand::reference));
            }
        }
    }

    fn needs(&self, meant: &dyn Fn(&Reference) -> bool) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(|part| part.needs(meant)),
            Self::Any(parts) => parts.iter().all(|part| part.needs(meant)),
            Self::Not(_) => false,
            Self::Defined(reference) => meant(reference),
            Self::Holds(operand) => operand.reference().is_some_and(meant),
            Self::Compare(left, _, right) => {
                [left, right].into_iter().filter_map(Operand::reference).any(meant)
            }
        }
    }

    fn map(&self, change: &dyn Fn(&Reference) -> Reference) -> Self {
        let each = |parts: &[Self]| parts.iter().map(|part| part.map(change)).collect();
        match self {
            Self::Any(parts) => Self::Any(each(parts)),
            Self::All(parts) => Self::All(each(parts)),
            Self::Not(inner) => Self::Not(Box::new(inner.map(change))),
            Self::Defined(reference) => Self::Defined(change(reference)),
            Self::Holds(operand) => Self::Holds(operand.map(change)),
            Self::Compare(left, how, right) => {
                Self::Compare(left.map(change), *how, right.map(change))
            }
        }
    }
}

impl Operand {
    fn value<'a>(&'a self, scope: &'a Scope) -> Option<Cow<'a, Value>> {
        match self {
            Self::Reference(reference) => reference.value(scope),
            Self::Literal(value) => Some(Cow::Borrowed(value)),
        }
    }

    fn is_quoted(&self) -> bool {
        matches!(self, Self::Literal(Value::String(_)))
    }

    fn is_list(&self) -> bool {
        matches!(self, Self::Literal(Value::Array(_)))
    }

    fn reference(&self) -> Option<&Reference> {
        match self {
            Self::Reference(reference) => Some(reference),
            Self::Literal(_) => None,
        }
    }

    fn map(&self, change: &dyn Fn(&Reference) -> Reference) -> Self {
        match self {
            Self::Reference(reference) => Self::Reference(change(reference)),
            Self::Literal(value) => Self::Literal(value.clone()),
        }
    }
}

/// Whether any part is `decisive`, or all are the opposite; `None` when that hangs on a part that cannot be decided.
fn either(parts: &[Expression], decisive: bool, scope: &Scope) -> Option<bool> {
    let mut is_decided = true;
    for part in parts {
        match part.truth(scope) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => is_decided = false,
        }
    }
    is_decided.then_some(!decisive)
}

/// The beginning of a value.
fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(60).collect()
}

fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            !text.is_empty() && !Decimal::canonical(text).is_some_and(|amount| amount.is_zero())
        }
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.write(f, 0)
    }
}

impl Expression {
    /// Writes itself, in parentheses where it binds weaker (OR 0, AND 1, NOT 2) than its place asks for.
    fn write(&self, f: &mut fmt::Formatter<'_>, place: u8) -> fmt::Result {
        let strength = match self {
            Self::Any(_) => 0,
            Self::All(_) => 1,
            _ => 2,
        };
        if strength < place {
            f.write_str("(")?;
            self.write(f, 0)?;
            return f.write_str(")");
        }
        match self {
            Self::Any(parts) => join(f, parts, " OR ", 1),
            Self::All(parts) => join(f, parts, " AND ", 2),
            Self::Not(inner) => f.write_str("NOT ").and_then(|()| inner.write(f, 2)),
            Self::Defined(reference) => write!(f, "{{{reference}}} is defined"),
            Self::Holds(operand) => write!(f, "{operand}"),
            Self::Compare(left, how, right) => write!(f, "{left} {how} {right}"),
        }
    }
}

fn join(f: &mut fmt::Formatter<'_>, parts: &[Expression], between: &str, place: u8) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(between)?;
        }
        part.write(f, place)?;
    }
    Ok(())
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(reference) => write!(f, "{{{reference}}}"),
            Self::Literal(value) => write_literal(f, value),
        }
    }
}

fn write_literal(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::String(text) => write!(f, "'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Array(items) => {
            f.write_str("[")?;
            for (at, item) in items.iter().enumerate() {
                f.write_str(if at > 0 { ", " } else { "" })?;
                write_literal(f, item)?;
            }
            f.write_str("]")
        }
        other => write!(f, "{other}"),
    }
}

#[cfg(test)]
mod tests;
