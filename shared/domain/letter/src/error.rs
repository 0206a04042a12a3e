//! What can go wrong while writing a letter.

use countersign_failure::Failure;

/// Why a mail or a page could not be written.
#[derive(Debug, thiserror::Error)]
pub enum LetterError {
    /// A template failed; templates are checked when this crate is built, so this means memory ran out.
    #[error("rendering a template")]
    Render(#[from] askama::Error),
    /// The address to link to is no plain absolute HTTP address; it is not repeated, links are secrets.
    #[error("a mail can only link to a plain absolute http or https address")]
    Link,
}

impl Failure for LetterError {
    fn code(&self) -> &'static str {
        match self {
            LetterError::Render(_) => "LETTER_UNRENDERED",
            LetterError::Link => "LETTER_LINK",
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            LetterError::Render(_) => None,
            LetterError::Link => Some(
                "set PUBLIC_URL to the address people reach, such as https://agents.example.org"
                    .to_owned(),
            ),
        }
    }
}
