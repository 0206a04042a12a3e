//! What the parts of a credential may hold: asked where they are written, so that no call is the first to find out.

use crate::header::{is_segment, is_sendable};
use crate::model::Auth;

impl Auth {
    /// Why a call could not be sent with this value of a part; the value is not quoted.
    #[must_use]
    pub fn refuses(&self, part: &str, value: &str) -> Option<&'static str> {
        let is_header = matches!(
            self,
            Self::ApiKeyHeader { .. } | Self::BearerToken | Self::TokenScheme { .. }
        );
        let is_own = self.credential_fields().contains(&part);
        if is_header && is_own && !is_sendable(value) {
            return Some(
                "must be printable ASCII, without spaces at its edges: it is sent in a header",
            );
        }
        if matches!(self, Self::PathToken { .. }) && is_own && !is_segment(value) {
            return Some(
                "must have letters, digits and `-._~:` only: it is sent as a part of the path",
            );
        }
        if *self == Self::Basic && part == "username" && value.contains(':') {
            return Some("must not have a colon: in `basic` that is where the password begins");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Auth;

    fn check(auth: &Auth, part: &str, value: &str, takes: bool) {
        assert_eq!(auth.refuses(part, value).is_none(), takes, "{part}: {value}");
    }

    #[test]
    fn f_009_a_part_is_refused_when_no_call_could_carry_it() {
        for value in ["a b", "~", ""] {
            check(&Auth::BearerToken, "token", value, true);
        }
        for value in [" a", "a ", "\u{e4}", "a\tb", "a\u{7f}"] {
            check(&Auth::BearerToken, "token", value, false);
            check(&Auth::ApiKeyHeader { header: "x-key".to_owned() }, "api_key", value, false);
            check(&Auth::ApiKeyQuery { key_param: "key".to_owned() }, "api_key", value, true);
            check(&Auth::Basic, "password", value, true);
        }
        let in_path = Auth::PathToken { prefix: "bot".to_owned() };
        check(&in_path, "token", "123456:AA-bb_cc", true);
        for value in ["a/b", "..", "", "a b", "a?b", "a#b", "a%2fb", "a{token}"] {
            check(&in_path, "token", value, false);
        }
        check(&Auth::Basic, "username", "a:b", false);
        check(&Auth::Basic, "password", "a:b", true);
    }
}
