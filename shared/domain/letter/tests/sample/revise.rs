//! Asking for changes.

use countersign_approval::Verdict;
use countersign_letter::Shown;
use countersign_letter::page::{CodePage, DecisionPage};

use super::{code_page, payment};

/// A payment that a model has drafted and can draft anew.
pub(crate) fn revisable() -> DecisionPage {
    DecisionPage {
        revisable: vec![Shown::line("draft")],
        bars_who_asks: true,
        wish: Some((Verdict::Override, "Pay <half> of it.".to_owned())),
        ..payment()
    }
}

/// The code of somebody who asks for changes.
pub(crate) fn code_of_revision() -> CodePage {
    CodePage { verdict: Verdict::Override, ..code_page(None) }
}
