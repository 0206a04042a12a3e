//! The pages of the mail door: no scripts, one embedded style sheet, readable on a phone, in light and in dark.

mod code;
mod decision;
mod effect;
mod message;
mod request_end;
mod rows;
mod strike;

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

pub use code::{CodePage, GivenAnswer};
pub use decision::{Assurance, DecisionPage, MAX_NOTE, UnknownCallView};
pub use effect::{EffectPage, PromptPage};
pub use message::{MessagePage, Signature, Tone};
pub use request_end::RequestEnd;
pub use rows::{Listed, ROWS_PER_PAGE, RowsPage};
pub use strike::{EffectStrike, EffectStrikeForm, StrikeCodePage, StrikeTold};

/// The style sheet, embedded in every page.
pub(crate) const STYLE: &str = include_str!("../../templates/page/style.css");

static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    )
});

/// The `Content-Security-Policy` every page needs: nothing may load, only our own style sheet applies, forms go home.
#[must_use]
pub fn content_security_policy() -> &'static str {
    &POLICY
}
