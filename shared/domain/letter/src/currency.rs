//! The currencies of a layout, and those that the data itself names.

use std::borrow::Cow;

use countersign_approval::{Column, Layout};
use countersign_decimal::currency::is_another;

/// The layout without its currencies where a field names another one: `12.50 EUR` beside `currency: USD` is not true. The
/// fields are names and values.
pub(crate) fn agreeing<'l>(
    layout: &'l Layout,
    mut fields: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) -> Cow<'l, Layout> {
    let declared = || layout.columns.iter().filter_map(|column| column.currency.as_deref());
    let is_other = |name: &str, text: &str| declared().any(|own| is_another(name, text, own));
    if declared().next().is_none()
        || !fields.any(|(name, value)| is_other(name.as_ref(), value.as_ref()))
    {
        return Cow::Borrowed(layout);
    }
    let bare = |column: &Column| Column { currency: None, ..column.clone() };
    Cow::Owned(Layout { columns: layout.columns.iter().map(bare).collect() })
}
