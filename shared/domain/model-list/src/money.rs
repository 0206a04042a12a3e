//! Amounts of money, counted in millionths of a currency unit.

use countersign_document::{Refused, text_type};
use serde::{Deserialize, Serialize};

/// One unit of a currency, in what is counted.
const UNIT: u64 = 1_000_000;
/// Digits after the point.
const PLACES: usize = 6;

text_type! {
    /// An amount, such as `0.25`: up to 1,000,000, with at most 6 digits after the point.
    pub struct Amount {
        format: "amount", code: "amount", sample: "1", pattern: r"^[0-9]{1,7}(\.[0-9]{1,6})?$", check: amount
    }
    /// The code of a currency (ISO 4217), such as `USD`.
    pub struct Currency {
        format: "currency", code: "currency", sample: "USD", pattern: "^[A-Z]{3}$", check: currency
    }
}

fn amount(text: &str) -> Result<(), Refused> {
    let form = "must be an amount as text, such as \"0.25\": up to 1000000, at most 6 digits after the point";
    let fits = millionths(text).is_some_and(|millionths| millionths <= UNIT * UNIT);
    if fits { Ok(()) } else { Err(Refused::of_key(form)) }
}

fn currency(text: &str) -> Result<(), Refused> {
    let fits = text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase());
    let form = "must be the code of a currency, three capital letters";
    if fits { Ok(()) } else { Err(Refused::of_key(form)) }
}

/// The millionths that a text in plain notation says.
fn millionths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(a, b)| (a, Some(b)));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let places = fraction.unwrap_or("0");
    let is_plain = are_digits(whole) && are_digits(places);
    if !is_plain || whole.len() > 7 || places.len() > PLACES {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let rest: u64 = format!("{places:0<PLACES$}").parse().ok()?;
    Some(whole * UNIT + rest)
}

impl Amount {
    /// The same in millionths.
    #[must_use]
    pub fn millionths(&self) -> u64 {
        millionths(self.as_str()).unwrap_or_default()
    }
}

/// What something costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// How much, in millionths of the currency's unit.
    pub millionths: u64,
    /// The currency.
    pub currency: Currency,
}

impl Cost {
    /// The amount in plain notation, such as `0.0123`.
    #[must_use]
    pub fn amount(&self) -> String {
        let (whole, rest) = (self.millionths / UNIT, self.millionths % UNIT);
        let rest = format!("{rest:0PLACES$}");
        let rest = rest.trim_end_matches('0');
        if rest.is_empty() { whole.to_string() } else { format!("{whole}.{rest}") }
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.amount(), self.currency)
    }
}
