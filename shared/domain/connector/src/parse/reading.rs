//! `locale` and `currency`: how an endpoint's texts are read.

use countersign_registry::{DataType, Field};

use crate::diagnostic::{Diagnostics, Position};
use crate::model::Operation;
use crate::reading::{InvalidReading, Reading};
use crate::yaml::Mapping;

/// What was written, and where.
pub(super) struct Written {
    reading: Reading,
    at: Position,
}

/// Reads both keys. A feed has neither: its format says how it writes dates.
pub(super) fn written(kind: &str, map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<Written> {
    if kind == "rss_feed" {
        return None;
    }
    let locale = map.text("locale", out);
    let currency = map.text("currency", out);
    let at = locale.or(currency)?.1;
    match Reading::new(locale.map(|(tag, _)| tag), currency.map(|(code, _)| code)) {
        Ok(reading) => Some(Written { reading, at }),
        Err(error) => {
            refuse(&error, at, currency.map(|(_, at)| at), out);
            None
        }
    }
}

fn refuse(
    error: &InvalidReading,
    at: Position,
    currency_at: Option<Position>,
    out: &mut Diagnostics,
) {
    let message = error.to_string();
    match error {
        InvalidReading::Locale(invalid) => match &invalid.near {
            Some(near) => out.hinted("locale", at, message, format!("did you mean `{near}`?")),
            None => out.error("locale", at, message),
        },
        InvalidReading::Currency(_) => out.error("currency", currency_at.unwrap_or(at), message),
        InvalidReading::NoLocale => {
            out.hinted("currency", at, message, "such as `locale: en-US`");
        }
    }
}

/// Gives an operation its reading, unless there is nothing that it would read.
pub(super) fn declare<'f>(
    written: Written,
    endpoint: &str,
    operation: &mut Operation,
    mut fields: impl Iterator<Item = &'f Field>,
    out: &mut Diagnostics,
) {
    let slot = operation.reading_mut().filter(|_| fields.any(|field| is_read(&field.data_type)));
    match slot {
        Some(slot) => *slot = written.reading,
        None => out.hinted(
            "locale",
            written.at,
            format!("endpoint `{endpoint}` has no field that a locale is needed for"),
            "declare the type of a field as number, decimal, integer or date, or leave out `locale`",
        ),
    }
}

fn is_read(data_type: &DataType) -> bool {
    match data_type {
        DataType::Number | DataType::Decimal | DataType::Integer | DataType::Date => true,
        DataType::Array(item) => is_read(item),
        _ => false,
    }
}
