//! Which endpoints a function may call.

/// Which endpoints a function may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those that only read.
    Read,
    /// Those that have an effect.
    Write,
}

impl Mode {
    /// Why an endpoint is not for this function.
    pub(crate) fn refuses(self, irreversible: bool) -> Option<&'static str> {
        match (self, irreversible) {
            (Self::Read, true) => Some("has an effect, and this function only reads"),
            (Self::Write, false) => Some("only reads, and this function is for effects"),
            (Self::Read, false) | (Self::Write, true) => None,
        }
    }
}
