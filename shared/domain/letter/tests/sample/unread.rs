//! A request of which some figures could not be read.

use countersign_letter::Shown;
use countersign_letter::page::DecisionPage;

use super::{LINK, payment};

/// The page before a payment of which some figures could not be read.
pub(crate) fn page() -> DecisionPage {
    let warnings = [
        "63 warnings in `read_invoices`:",
        "old-invoices.xlsx: the file is empty",
        "march.csv, row 14, `amount`: `$4,200.00` is not of type number",
        "march.csv, row 15, `amount`: `(45.00)` is not of type number",
        "… and 60 more of them",
    ];
    let warnings = warnings.iter().map(|text| Shown::new(text, 1_000)).collect();
    let warnings_url = Some(format!("{LINK}/warnings"));
    DecisionPage { unread: 63, warnings, warnings_url, ..payment() }
}
