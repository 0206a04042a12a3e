//! Exact decimal numbers, as money needs them: a text in plain notation on the wire, and never rounded without being asked.
//!
//! A decimal has at most [`DIGITS`] digits, before and after the point together. What needs more is an error.

pub mod currency;
pub mod json;

use std::cmp::Ordering;
use std::fmt;

use rust_decimal::Decimal as Inner;

/// The most digits of a decimal, and the most of them after the point.
pub const DIGITS: u32 = 28;
/// The digits after the point of an average; as many as its values have, when they have more.
pub const AVERAGE_SCALE: u32 = 6;
/// One more than the largest number of so many digits.
const BOUND: i128 = 10_i128.pow(DIGITS);

/// Why a text is not a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDecimal {
    /// It is not written in plain notation.
    #[error("is not a decimal number: digits, a point and a sign")]
    NotPlain,
    /// It cannot be kept without rounding.
    #[error("has more than {DIGITS} digits")]
    TooLong,
}

/// A whole number with its point moved to the left by so many places: `-5` by two is `-0.05`.
#[must_use]
pub fn moved(number: i128, places: usize) -> String {
    if places == 0 {
        return number.to_string();
    }
    let sign = if number < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// An exact number that keeps the digits it was written with: `1250.00`. Comparing ignores them: `1.0` is `1.00`.
#[derive(Debug, Clone, Copy)]
pub struct Decimal(Inner);

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self(Inner::ZERO);

    /// Reads plain notation: `1250.00`, `-3`, `+.5`.
    ///
    /// # Errors
    /// [`InvalidDecimal`] when the text is not such a number, or has too many digits.
    pub fn parse(text: &str) -> Result<Self, InvalidDecimal> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let are_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !are_digits(whole) || !are_digits(fraction) {
            return Err(InvalidDecimal::NotPlain);
        }
        let whole = whole.trim_start_matches('0');
        let digits = whole.len() + fraction.len();
        let scale = u32::try_from(fraction.len()).map_err(|_| InvalidDecimal::TooLong)?;
        if digits > DIGITS as usize {
            return Err(InvalidDecimal::TooLong);
        }
        let mantissa = |mantissa: i128, part: &str| {
            part.bytes().fold(mantissa, |sum, digit| sum * 10 + i128::from(digit - b'0'))
        };
        let mantissa = mantissa(mantissa(0, whole), fraction);
        let signed = if text.starts_with('-') { -mantissa } else { mantissa };
        Self::new(signed, scale).ok_or(InvalidDecimal::TooLong)
    }

    /// Reads what a decimal is printed as, and nothing else: `007` and `+1` are names, not amounts.
    #[must_use]
    pub fn canonical(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (unsigned, None),
        };
        let is_plain = !whole.is_empty()
            && (whole == "0" || !whole.starts_with('0'))
            && unsigned.starts_with(|c: char| c.is_ascii_digit())
            && fraction != Some("");
        is_plain.then(|| Self::parse(text).ok()).flatten()
    }

    /// Reads a number as JSON writes it, which may have an exponent: `1e3`, `1.5E-7`.
    ///
    /// # Errors
    /// [`InvalidDecimal`] when the text is not such a number, or has too many digits.
    pub fn of_json(text: &str) -> Result<Self, InvalidDecimal> {
        let Some((number, exponent)) = text.split_once(['e', 'E']) else {
            return Self::parse(text);
        };
        let exponent: i64 = exponent.parse().map_err(|_| InvalidDecimal::NotPlain)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let sign = if whole.starts_with('-') { "-" } else { "" };
        let whole = whole.trim_start_matches('-');
        let digits = format!("{whole}{}", fraction.trim_end_matches('0'));
        if digits.bytes().all(|b| b == b'0') {
            return Self::parse(&digits);
        }
        // Where the point stands among the digits.
        let whole_digits = i64::try_from(whole.len()).map_err(|_| InvalidDecimal::TooLong)?;
        let point = whole_digits.checked_add(exponent).ok_or(InvalidDecimal::TooLong)?;
        if point.unsigned_abs() > 2 * u64::from(DIGITS) {
            return Err(InvalidDecimal::TooLong);
        }
        let place = usize::try_from(point).unwrap_or(0);
        let text = if point <= 0 {
            let zeros = usize::try_from(-point).unwrap_or(0);
            format!("{sign}0.{}{digits}", "0".repeat(zeros))
        } else if place >= digits.len() {
            format!("{sign}{digits}{}", "0".repeat(place - digits.len()))
        } else {
            format!("{sign}{}.{}", &digits[..place], &digits[place..])
        };
        Self::parse(&text)
    }

    /// A number of this many units of `10^-scale`, or `None` when it has too many digits.
    fn new(mantissa: i128, scale: u32) -> Option<Self> {
        let fits = mantissa.abs() < BOUND;
        fits.then(|| Inner::try_from_i128_with_scale(mantissa, scale).ok()).flatten().map(Self)
    }

    /// The digits after the point.
    #[must_use]
    pub fn scale(&self) -> u32 {
        self.0.scale()
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is less than zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.0.mantissa() < 0
    }

    /// The whole number it is, or `None` when it has a fraction.
    #[must_use]
    pub fn whole(&self) -> Option<i128> {
        let plain = self.0.normalize();
        (plain.scale() == 0).then(|| plain.mantissa())
    }

    /// The same number without noughts that end its fraction: all that compare as equal are printed as the same text.
    #[must_use]
    pub fn normalized(self) -> Self {
        Self(self.0.normalize())
    }

    /// The nearest binary fraction.
    #[must_use]
    pub fn approximately(&self) -> f64 {
        self.to_string().parse().unwrap_or_default()
    }

    /// The sum, or `None` when it needs more digits than there are.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (a, b) = (self.0.normalize(), other.0.normalize());
        let mut scale = a.scale().max(b.scale());
        // Where this overflows, the last digit of the longer fraction is not nought, so that the sum has as many digits.
        let units = |number: Inner| {
            number.mantissa().checked_mul(10_i128.checked_pow(scale - number.scale())?)
        };
        let mut sum = units(a)?.checked_add(units(b)?)?;
        while sum.abs() >= BOUND && scale > 0 && sum % 10 == 0 {
            (sum, scale) = (sum / 10, scale - 1);
        }
        while scale < self.scale().max(other.scale()) && sum.abs() < BOUND / 10 {
            (sum, scale) = (sum * 10, scale + 1);
        }
        Self::new(sum, scale)
    }

    /// This sum shared among `count` values: rounded to [`AVERAGE_SCALE`] digits after the point, or as many as the sum
    /// has, half to even, without the noughts that the sum does not have. `None` for no values, or too many digits.
    #[must_use]
    pub fn shared_among(self, count: usize) -> Option<Self> {
        let count = i128::try_from(count).ok().filter(|count| *count > 0)?;
        let scale = self.scale().max(AVERAGE_SCALE);
        let units = self.0.mantissa() * 10_i128.pow(scale - self.scale());
        let mut mantissa = half_even(units, count);
        let mut places = scale;
        while places > self.scale() && mantissa % 10 == 0 {
            mantissa /= 10;
            places -= 1;
        }
        Self::new(mantissa, places)
    }
}

/// Whether a binary fraction has all digits of the number that was read as it: in its shortest text, in the 17 digits that
/// programs print which write all of them, or in 16: where two shortest texts are equally near, programs choose either.
#[must_use]
pub fn keeps_digits(written: &str, read: f64) -> bool {
    let written = significant(written);
    let texts = [format!("{read:e}"), format!("{read:.16e}"), format!("{read:.15e}")];
    texts.iter().any(|text| written == significant(text))
}

/// The digits of a number in any notation, without those that only place its point.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// The quotient, rounded to the nearest whole number, and to the even one of two that are as near.
fn half_even(units: i128, count: i128) -> i128 {
    let (quotient, rest) = (units.div_euclid(count), units.rem_euclid(count));
    match (rest * 2).cmp(&count) {
        Ordering::Greater => quotient + 1,
        Ordering::Equal => quotient + quotient.rem_euclid(2),
        Ordering::Less => quotient,
    }
}

impl From<i64> for Decimal {
    fn from(whole: i64) -> Self {
        Self(whole.into())
    }
}

impl From<u64> for Decimal {
    fn from(whole: u64) -> Self {
        Self(whole.into())
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Zero has no sign.
        let plain = if self.0.is_zero() { self.0.abs() } else { self.0 };
        write!(f, "{plain}")
    }
}

#[cfg(test)]
mod tests;
