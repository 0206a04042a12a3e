//! What can go wrong while writing a letter.

use countersign_failure::Failure;

/// Why a mail or a page could not be written.
#[derive(Debug, thiserror::Error, Failure)]
pub enum LetterError {
    /// A template failed; templates are checked when this crate is built, so this means memory ran out.
    #[error("rendering a template")]
    #[failure(code = "LETTER_UNRENDERED")]
    Render(#[from] askama::Error),
    /// The address to link to is not a plain absolute HTTP address; it is not repeated, links are secrets.
    #[error("a mail can only link to a plain absolute http or https address")]
    #[failure(
        code = "LETTER_LINK",
        help = "set PUBLIC_URL to the address people reach, such as https://agents.example.org"
    )]
    Link,
}
