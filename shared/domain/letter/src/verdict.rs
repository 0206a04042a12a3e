//! What a person does with a request, in words.

/// What a person does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Signs it.
    Approve,
    /// Refuses it.
    Deny,
    /// Asks for changes in addition to what was asked.
    Enhance,
    /// Asks for something else instead.
    Override,
}

impl Verdict {
    /// The word it has on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Deny => "deny",
            Self::Enhance => "enhance",
            Self::Override => "override",
        }
    }

    /// Before “the request”: `approve`, `ask for changes to`.
    #[must_use]
    pub fn does(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Deny => "deny",
            Self::Enhance => "ask for changes to",
            Self::Override => "ask for something else instead of",
        }
    }

    /// On a button: `Approve`, `Ask for changes`.
    #[must_use]
    pub fn button(self) -> &'static str {
        match self {
            Self::Approve => "Approve",
            Self::Deny => "Deny",
            Self::Enhance | Self::Override => "Ask for changes",
        }
    }

    /// After a name: `approved`, `asked for changes`.
    #[must_use]
    pub fn did(self) -> &'static str {
        match self {
            Self::Approve => "approved",
            Self::Deny => "denied",
            Self::Enhance => "asked for changes",
            Self::Override => "asked for something else instead",
        }
    }
}
