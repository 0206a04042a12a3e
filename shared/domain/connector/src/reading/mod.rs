//! How texts become typed values: the one home of the rule, for every format.
//!
//! Without a locale a number is written as JSON and English do, and a date as ISO 8601 does. With one, numbers are also read
//! with its separators, its currency and the ways accountants write a negative sum, and dates in its order.

mod currency;
mod date;
mod locale;
mod number;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use compact_str::CompactString;
use countersign_decimal::{Decimal, InvalidDecimal, keeps_digits};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::model::ValueType;
use crate::records::Cell;
use currency::Currency;
pub use locale::InvalidLocale;
use locale::Locale;

/// The longest part of a text that a complaint shows, in characters.
const SHOWN: usize = 60;
/// What may help a text that is not of its type.
const DECLARE: &str = "; declare the endpoint's `locale` if it is written as in one";
/// What a number has that cannot be a `number`, and what can be done.
pub(crate) const MORE_DIGITS: &str = "more digits than a number keeps: a `decimal` has up to 28";

/// Why a locale or a currency cannot be read by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidReading {
    /// Not a locale whose numbers are known.
    #[error(transparent)]
    Locale(#[from] InvalidLocale),
    /// A locale whose data has two decimal marks, so that its numbers are ambiguous.
    #[error(
        "`{tag}` writes `{number}` before the fraction of a number and `{sum}` before that of a sum, so that an amount may be read as another: declare `en-US` (1,234.50) or `de-DE` (1.234,50), and the `currency` where it is another"
    )]
    TwoMarks {
        /// The locale.
        tag: String,
        /// The decimal mark of its numbers.
        number: &'static str,
        /// The decimal mark of its sums of money.
        sum: &'static str,
    },
    /// Not a currency.
    #[error("`{0}` is not a currency: it must be a code of ISO 4217, such as `EUR`")]
    Currency(String),
    /// A currency says nothing without the separators.
    #[error("`currency` needs a `locale` beside it")]
    NoLocale,
}

/// How the texts of an endpoint are read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Reading {
    declared: Option<Declared>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Declared {
    locale: Locale,
    /// Other than the locale's own.
    currency: Option<Currency>,
}

/// A reading as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    locale: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    currency: Option<String>,
}

impl TryFrom<Written> for Reading {
    type Error = InvalidReading;
    fn try_from(written: Written) -> Result<Self, Self::Error> {
        Self::new(written.locale.as_deref(), written.currency.as_deref())
    }
}

impl From<Reading> for Written {
    fn from(reading: Reading) -> Self {
        let declared = reading.declared.as_ref();
        Self {
            locale: declared.map(|declared| declared.locale.tag().to_owned()),
            currency: declared
                .and_then(|declared| Some(declared.currency.as_ref()?.code().to_owned())),
        }
    }
}

impl Reading {
    /// A reading by a locale (a BCP 47 tag with a region) and, where it is not the locale's own, a currency (ISO 4217).
    ///
    /// # Errors
    /// [`InvalidReading`] when one of them is not known, the locale has two decimal marks or is missing.
    pub fn new(locale: Option<&str>, currency: Option<&str>) -> Result<Self, InvalidReading> {
        let Some(tag) = locale else {
            return currency.map_or(Ok(Self::default()), |_| Err(InvalidReading::NoLocale));
        };
        let locale = Locale::of(tag)?;
        let unknown = |code: &str| InvalidReading::Currency(code.chars().take(SHOWN).collect());
        let currency =
            currency.map(|code| Currency::of(code).ok_or_else(|| unknown(code))).transpose()?;
        Ok(Self { declared: Some(Declared { locale, currency }) })
    }

    /// Whether nothing is declared.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.declared.is_none()
    }

    /// Whether the declared locale writes a mark before the fraction of a number.
    #[must_use]
    pub fn is_decimal_mark(&self, mark: char) -> bool {
        let declared = self.declared.as_ref();
        declared.is_some_and(|declared| declared.locale.decimal().starts_with(mark))
    }

    /// Whether the declared locale writes a mark inside numbers.
    #[must_use]
    pub fn is_number_mark(&self, mark: char) -> bool {
        let declared = self.declared.as_ref();
        self.is_decimal_mark(mark)
            || declared.is_some_and(|declared| declared.locale.groups_with(mark))
    }

    /// Reads the texts found for a field. The message says why a text is not of the type, and shows it.
    #[must_use]
    pub fn convert(&self, texts: &[String], value_type: ValueType) -> (Value, Option<String>) {
        match value_type {
            ValueType::StringList => {
                (texts.iter().map(|text| Value::from(text.as_str())).collect(), None)
            }
            ValueType::NumberList => self.number_list(texts),
            _ => match texts.first() {
                None => (Value::Null, None),
                Some(text) => self.one(text, value_type),
            },
        }
    }

    /// Reads the one text of a field, which is kept as it is when the field is text. The message says why it is not of the type.
    #[must_use]
    pub fn typed(&self, text: CompactString, value_type: ValueType) -> (Cell, Option<String>) {
        if value_type == ValueType::String {
            return (Cell::Text(text), None);
        }
        let (value, complaint) = self.one(&text, value_type);
        (Cell::from(value), complaint)
    }

    /// Whether two texts are the same value: `10.0` and `10.00` are one figure.
    pub(crate) fn is_same(&self, one: &str, other: &str, value_type: ValueType) -> bool {
        one == other
            || match (self.read(one, value_type), self.read(other, value_type)) {
                (Some(one), Some(other)) => is_same_figure(&one, &other),
                _ => false,
            }
    }

    /// Reads a text, or gives `None` when it is not of the type.
    pub(crate) fn read(&self, text: &str, value_type: ValueType) -> Option<Value> {
        match value_type {
            ValueType::Number => self.number(text).map(Value::Number),
            ValueType::Decimal => {
                let decimal = Decimal::parse(&self.plain(text)?).ok()?;
                Some(decimal.to_string().into())
            }
            ValueType::Integer => number::whole(&self.plain(text)?).map(Value::from),
            ValueType::Boolean => boolean(text).map(Value::Bool),
            ValueType::Date => self.date(text).map(Value::String),
            ValueType::String | ValueType::StringList | ValueType::NumberList => {
                Some(Value::from(text))
            }
        }
    }

    fn one(&self, text: &str, value_type: ValueType) -> (Value, Option<String>) {
        match self.read(text, value_type) {
            Some(value) => (value, None),
            None => (Value::Null, Some(self.complaint(text, value_type))),
        }
    }

    fn number_list(&self, texts: &[String]) -> (Value, Option<String>) {
        let mut complaint = None;
        let mut numbers = Vec::with_capacity(texts.len());
        for text in texts {
            match self.number(text) {
                Some(number) => numbers.push(Value::Number(number)),
                None => {
                    complaint = complaint.or_else(|| Some(self.complaint(text, ValueType::Number)));
                }
            }
        }
        (Value::Array(numbers), complaint)
    }

    fn number(&self, text: &str) -> Option<Number> {
        let plain = self.plain(text)?;
        if let Some(whole) = number::whole(&plain) {
            return Some(whole.into());
        }
        let kept = plain.parse().ok().filter(|float| keeps_digits(&plain, *float));
        kept.and_then(Number::from_f64)
    }

    /// The number a text writes, with digits, a point and a sign only.
    fn plain<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        match &self.declared {
            None => number::plain(text),
            Some(Declared { locale, currency }) => {
                let currency = currency.as_ref().unwrap_or(locale.currency());
                number::localized(text, locale, currency).map(Into::into)
            }
        }
    }

    fn date(&self, text: &str) -> Option<String> {
        date::iso(text).or_else(|| {
            let form = self.declared.as_ref()?.locale.dates()?;
            form.read(text).map(|date| date.to_string())
        })
    }

    /// Why a text is not of a type. It shows the text, and what may help.
    pub(crate) fn complaint(&self, text: &str, value_type: ValueType) -> String {
        unfit(text, value_type, &self.help(text, value_type).unwrap_or_default())
    }

    fn help_with_date(&self, text: &str) -> Option<&'static str> {
        let has_order = self.declared.as_ref().map(|declared| declared.locale.dates().is_some());
        let help = match has_order {
            None => DECLARE,
            Some(false) => {
                "; the locale has no order of day and month in numbers, only dates as `2024-12-31` are read"
            }
            Some(true) => return None,
        };
        date::is_in_some_order(text).then_some(help)
    }

    fn help(&self, text: &str, value_type: ValueType) -> Option<Cow<'static, str>> {
        let is_number = matches!(
            value_type,
            ValueType::Number | ValueType::Decimal | ValueType::Integer | ValueType::NumberList
        );
        if value_type == ValueType::Decimal
            && let Some(Err(InvalidDecimal::TooLong)) =
                self.plain(text).map(|text| Decimal::parse(&text))
        {
            return Some("; it has more than 28 digits".into());
        }
        if value_type == ValueType::Number && self.plain(text).is_some() {
            return Some(format!("; it has {MORE_DIGITS}").into());
        }
        if value_type == ValueType::Date {
            if date::has_short_year(text) {
                return Some("; its year must have four digits".into());
            }
            return self.help_with_date(text).map(Into::into);
        }
        let written = || number::plain(text).is_none() && number::is_in_some_locale(text);
        (is_number && self.is_plain() && written()).then_some(DECLARE.into())
    }
}

/// That a text is not of a type. It shows the text, and what may help.
pub(crate) fn unfit(text: &str, value_type: ValueType, help: &str) -> String {
    format!("`{}` is not of type {}{help}", shown(text), value_type.data_type())
}

/// A text as a warning shows it.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Whether two typed values are the same figure: decimals are texts, and `10.0` is `10.00`.
#[must_use]
pub fn is_same_figure(one: &Value, other: &Value) -> bool {
    let decimal = |value: &Value| Decimal::parse(value.as_str()?).ok();
    one == other
        || decimal(one).is_some_and(|one| decimal(other) == Some(one))
        || one.as_f64().is_some_and(|one| other.as_f64() == Some(one))
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "TRUE" | "True" | "1" | "X" | "x" => Some(true),
        "false" | "FALSE" | "False" | "0" => Some(false),
        _ => None,
    }
}
