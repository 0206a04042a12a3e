//! Names, types and words that a connector's strings stand for.

use countersign_registry::DataType;

/// Letters, digits and underscores, first a letter or an underscore; at most 64 characters.
pub(crate) fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A type by its name, or a list of one.
pub(crate) fn data_type(text: &str) -> Option<DataType> {
    Some(match text {
        "string" => DataType::String,
        "number" => DataType::Number,
        "decimal" => DataType::Decimal,
        "integer" => DataType::Integer,
        "date" => DataType::Date,
        "boolean" => DataType::Boolean,
        "object" => DataType::Object,
        "array" => DataType::array(DataType::Any),
        "any" => DataType::Any,
        _ => {
            let item = text.strip_suffix("[]").filter(|item| !item.ends_with("[]"))?;
            return data_type(item).map(DataType::array);
        }
    })
}

/// The character that separates cells; `None` for `auto` and what separates none.
pub(super) fn delimiter(text: &str) -> Option<char> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab", ..) => Some('\t'),
        (_, Some(one), None) => Some(one).filter(|one| {
            one.is_ascii() && !one.is_alphanumeric() && !matches!(one, '"' | '\r' | '\n')
        }),
        _ => None,
    }
}

/// An ending of file names as it is kept: lower case, without the dot.
pub(super) fn ending(text: &str) -> String {
    text.trim_start_matches('.').to_ascii_lowercase()
}
