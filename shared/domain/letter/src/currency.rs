//! The currencies of a layout, and those that the data itself names.

use std::borrow::Cow;

use countersign_approval::{Column, Layout};

/// The layout without its currencies where a field names another one: `12.50 EUR` beside `currency: USD` is not true. The
/// fields are names and values.
pub(crate) fn agreeing<'l>(
    layout: &'l Layout,
    mut fields: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) -> Cow<'l, Layout> {
    let declared = || layout.columns.iter().filter_map(|column| column.currency.as_deref());
    let is_other = |name: &str, value: &str| {
        let is_code = !value.contains(|c: char| c.is_ascii_digit());
        is_code
            && name.to_lowercase().contains("currency")
            && declared().any(|own| !own.eq_ignore_ascii_case(value.trim()))
    };
    if declared().next().is_none()
        || !fields.any(|(name, value)| is_other(name.as_ref(), value.as_ref()))
    {
        return Cow::Borrowed(layout);
    }
    let bare = |column: &Column| Column { currency: None, ..column.clone() };
    Cow::Owned(Layout { columns: layout.columns.iter().map(bare).collect() })
}
