//! Which links a notification may carry.

use countersign_failure::address_problem;
use url::Url;

/// The deployment's own address, `PUBLIC_URL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl PublicUrl {
    /// Reads the setting.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| {
            format!("`{text}` is not an address: {}", address_problem(&error.to_string()))
        })?;
        if matches!(url.scheme(), "http" | "https") {
            Ok(Self(url))
        } else {
            Err(format!("`{text}` is not http or https"))
        }
    }

    /// A link as it may stand in a notification: a path of the deployment (`/runs/…`), an address of the deployment, or
    /// an `https` address without credentials.
    pub(crate) fn allowed(&self, text: &str) -> Result<String, String> {
        let refused =
            || "`action_url` must be an https address or a path of this deployment".to_owned();
        if text.starts_with('/') && !text.starts_with("//") {
            let whole = format!("{}{text}", self.0.as_str().trim_end_matches('/'));
            return self.page(&whole).ok_or_else(refused);
        }
        let url = Url::parse(text).map_err(|_| refused())?;
        let elsewhere = || (url.scheme() == "https" && is_nameless(&url)).then(|| url.to_string());
        self.page(text).or_else(elsewhere).ok_or_else(refused)
    }

    /// An address of the deployment, as nobody takes more than one address for it: with every character written out that
    /// would end it. Nothing where it is one of somebody else.
    pub(crate) fn page(&self, text: &str) -> Option<String> {
        let url = Url::parse(text).ok()?;
        let below = url.path().strip_prefix(self.0.path().trim_end_matches('/'))?;
        let is_own = url.origin() == self.0.origin()
            && (below.is_empty() || below.starts_with('/'))
            && is_nameless(&url);
        is_own.then(|| url.to_string())
    }
}

/// Whether an address holds neither a user's name nor a password.
fn is_nameless(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

#[cfg(test)]
mod tests {
    use super::PublicUrl;

    fn check(link: &str, expect: Option<&str>) {
        let own = PublicUrl::parse("http://127.0.0.1:4566/_aws/execute-api/abcd1234").unwrap();
        assert_eq!(own.allowed(link).ok().as_deref(), expect, "{link}");
    }

    #[test]
    fn f_072_links_lead_to_the_deployment_or_to_https() {
        check("https://example.org/a", Some("https://example.org/a"));
        check("/runs/run_1", Some("http://127.0.0.1:4566/_aws/execute-api/abcd1234/runs/run_1"));
        check(
            "http://127.0.0.1:4566/_aws/execute-api/abcd1234/x",
            Some("http://127.0.0.1:4566/_aws/execute-api/abcd1234/x"),
        );
        check("http://127.0.0.1:4566/elsewhere", None);
        check("http://127.0.0.1:4566/_aws/execute-api/abcd12345", None);
        check("/../elsewhere", None);
        check(
            "/x https://evil.example",
            Some("http://127.0.0.1:4566/_aws/execute-api/abcd1234/x%20https://evil.example"),
        );
        check("http://example.org/", None);
        check("https://user:secret@example.org/", None);
        check("//example.org/", None);
        check("javascript:alert(1)", None);
        check("data:text/html,x", None);
    }

    #[test]
    fn the_own_address_is_a_web_address() {
        assert!(PublicUrl::parse("ftp://x").is_err());
        assert!(PublicUrl::parse("x").is_err());
    }
}
