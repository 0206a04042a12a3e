//! A request of which some figures could not be read.

use countersign_letter::Shown;
use countersign_letter::page::DecisionPage;

use super::payment;

/// The page before a payment of which some figures could not be read.
pub(crate) fn page() -> DecisionPage {
    let warnings = [
        "3 warnings in `read_invoices`:",
        "old-invoices.xlsx: the file is empty",
        "march.csv, row 14, `amount`: `$4,200.00` is not of type number",
        "march.csv, row 15, `amount`: `(45.00)` is not of type number",
    ];
    let warnings = warnings.iter().map(|text| Shown::new(text, 1_000)).collect();
    DecisionPage { unread: 3, warnings, ..payment() }
}
