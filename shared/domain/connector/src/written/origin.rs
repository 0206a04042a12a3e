//! Who wrote a connector.

/// Who wrote a connector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Anybody.
    User,
    /// The deployment: a shipped template.
    System,
}
