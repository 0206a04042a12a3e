//! What a binding may say of a connector (F-008, F-104): asked where bindings are written, not where they are read, so
//! that a stored one stays readable when its connector changes.

use crate::address::address;
use crate::binding::{ConfigOverrides, Permissions};
use crate::bounds::{
    Bound, MAX_FILE_SIZE_MB, PER_DAY, PER_HOUR, PER_MINUTE, PER_MONTH, PER_SECOND, TIMEOUT_SECONDS,
};
use crate::model::{Auth, Connection, ConnectorDefinition, RateLimit};
use countersign_document::nearest;

/// Why a binding cannot be as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Where, such as `permissions.allowed_endpoints[0]`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Refusal {
    fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), hint: None }
    }

    fn hinted(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl ConnectorDefinition {
    /// The overrides as they are kept.
    ///
    /// # Errors
    /// Everything that is wrong with overrides and permissions: values out of bounds, what this type of connector would
    /// ignore, endpoints it does not have.
    pub fn bindable(
        &self,
        overrides: ConfigOverrides,
        permissions: &Permissions,
    ) -> Result<ConfigOverrides, Vec<Refusal>> {
        let mut out = Vec::new();
        let overrides = self.overrides(overrides, &mut out);
        self.endpoints_allowed(permissions, &mut out);
        if let Some(limit) = permissions.rate_limit_override {
            self.lower_rate(limit, overrides.rate_limit, &mut out);
        }
        if out.is_empty() { Ok(overrides) } else { Err(out) }
    }

    fn overrides(&self, given: ConfigOverrides, out: &mut Vec<Refusal>) -> ConfigOverrides {
        let base_url = given.base_url.as_deref().and_then(|text| {
            let wrong = |wrong: Option<&str>| match wrong {
                Some(wrong) => format!("`base_url` {wrong}"),
                None => format!("`{text}` is not an address"),
            };
            let refused = |why| out.push(Refusal::new(place("base_url"), wrong(why)));
            address(text).map_err(refused).ok()
        });
        within(TIMEOUT_SECONDS, given.timeout_seconds, &place("timeout_seconds"), out);
        let size = place("max_file_size_mb");
        within(MAX_FILE_SIZE_MB, given.max_file_size_mb, &size, out);
        if let (Connection::FileParser(files), Some(megabytes)) =
            (&self.connection, given.max_file_size_mb)
            && megabytes > files.max_file_size_mb
        {
            let message = format!(
                "a binding only lowers the connector's limit of {} MB",
                files.max_file_size_mb
            );
            out.push(Refusal::new(size, message));
        }
        if let Some(limit) = given.rate_limit {
            self.own_rate(limit, out);
        }
        self.ignored(&given, out);
        self.credentials_header(&given, out);
        ConfigOverrides { base_url, ..given }
    }

    /// An override without effect would be believed.
    fn ignored(&self, given: &ConfigOverrides, out: &mut Vec<Refusal>) {
        let takes = taken(&self.connection);
        let said = [
            ("base_url", given.base_url.is_some()),
            ("timeout_seconds", given.timeout_seconds.is_some()),
            ("headers", !given.headers.is_empty()),
            ("max_file_size_mb", given.max_file_size_mb.is_some()),
        ];
        for (key, _) in said.into_iter().filter(|(key, said)| *said && !takes.contains(key)) {
            let kind = self.kind();
            let refusal =
                Refusal::new(place(key), format!("a connector of type {kind} has no `{key}`"));
            out.push(refusal.hinted(match takes {
                [] => format!("a connector of type {kind} has nothing to override"),
                takes => format!("a connector of type {kind} takes {}", takes.join(", ")),
            }));
        }
    }

    /// The header of the credential is the credential's: another value would be sent by nobody.
    fn credentials_header(&self, given: &ConfigOverrides, out: &mut Vec<Refusal>) {
        let key = self.connection.key_header();
        if given.headers.iter().any(|(name, _)| name == key) {
            let message = "this header carries the idempotency key";
            let refusal = Refusal::new(place(&format!("headers.{key}")), message);
            out.push(refusal.hinted("leave it out: every call has a key of its own"));
        }
        let Some(header) = self.connection.auth().and_then(Auth::header) else { return };
        for (name, _) in given.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(header))
        {
            let refusal = Refusal::new(
                place(&format!("headers.{name}")),
                "this header carries the credential",
            );
            out.push(refusal.hinted("enter it as the data source's credential"));
        }
    }

    /// A rate in place of the connector's. Without a credential it would be everybody's.
    fn own_rate(&self, limit: RateLimit, out: &mut Vec<Refusal>) {
        let place = place("rate_limit");
        let auth = self.connection.auth();
        if auth.is_some_and(|auth| !auth.credential_fields().is_empty()) {
            return self.rate(limit, &place, out);
        }
        let refusal =
            Refusal::new(place, "a source without a credential has one rate for everybody");
        out.push(refusal.hinted("`permissions.rate_limit_override` lowers it for this binding"));
    }

    /// The bounds of a connector's own `rate_limit`; none where nothing is counted.
    fn rate(&self, limit: RateLimit, place: &str, out: &mut Vec<Refusal>) {
        if !self.connection.is_requested() {
            let message = format!("calls of this {} are not counted", self.kind());
            out.push(Refusal::new(place, message).hinted("leave it out"));
            return;
        }
        if limit == RateLimit::default() {
            let refusal = Refusal::new(place, "must set at least one limit");
            out.push(refusal.hinted(format!("such as `{}`: 10", PER_MINUTE.key)));
        }
        for (bound, value, _) in by_window(limit) {
            within(bound, value, &format!("{place}.{}", bound.key), out);
        }
    }

    /// A rate below the connector's, or below the one that `own` puts in its place: one above it would never be reached.
    fn lower_rate(&self, limit: RateLimit, own: Option<RateLimit>, out: &mut Vec<Refusal>) {
        const PLACE: &str = "permissions.rate_limit_override";
        self.rate(limit, PLACE, out);
        let (whose, upper) = match (own, self.connection.rate_limit()) {
            (Some(own), _) => ("the data source's own", own),
            (None, Some(upper)) => ("the connector's", upper),
            (None, None) => return,
        };
        for (bound, value, seconds) in by_window(limit) {
            let Some(value) = value.map(u64::from) else { continue };
            let reached = |(bound, most, of): (Bound, Option<u32>, u64)| {
                let most = u64::from(most?);
                let windows = if of < seconds { seconds.div_ceil(of) } else { 1 };
                (value > most.saturating_mul(windows)).then_some((bound, most))
            };
            if let Some((upper, most)) = by_window(upper).into_iter().find_map(reached) {
                let message = format!("is never reached: {whose} rate has `{}: {most}`", upper.key);
                let refusal = Refusal::new(format!("{PLACE}.{}", bound.key), message);
                out.push(
                    refusal.hinted("a binding only lowers the rate: leave it out, or lower it"),
                );
            }
        }
    }

    fn endpoints_allowed(&self, permissions: &Permissions, out: &mut Vec<Refusal>) {
        let all = permissions.allowed_endpoints.as_deref().unwrap_or_default();
        if all.len() > self.endpoints.len() {
            let message = format!("the connector has {} endpoints", self.endpoints.len());
            out.push(
                Refusal::new("permissions.allowed_endpoints", message).hinted("name each once"),
            );
            return;
        }
        for (n, name) in all.iter().enumerate() {
            if self.endpoints.contains_key(name) {
                continue;
            }
            let shown: String = name.chars().take(64).collect();
            let known = self.endpoints.keys().map(String::as_str);
            let hint = nearest(name, known.clone()).map_or_else(
                || format!("known: {}", known.take(20).collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let path = format!("permissions.allowed_endpoints[{n}]");
            out.push(Refusal::new(path, format!("there is no endpoint `{shown}`")).hinted(hint));
        }
    }
}

/// A rate, window by window, with the seconds of each; a month has at most 31 days.
fn by_window(limit: RateLimit) -> [(Bound, Option<u32>, u64); 5] {
    [
        (PER_SECOND, limit.requests_per_second, 1),
        (PER_MINUTE, limit.requests_per_minute, 60),
        (PER_HOUR, limit.requests_per_hour, 3_600),
        (PER_DAY, limit.requests_per_day, 86_400),
        (PER_MONTH, limit.requests_per_month, 31 * 86_400),
    ]
}

/// The overrides that have an effect on a connection.
fn taken(connection: &Connection) -> &'static [&'static str] {
    match connection {
        Connection::RestApi(_) | Connection::Graphql(_) | Connection::WebScraper(_) => {
            &["base_url", "timeout_seconds", "headers"]
        }
        Connection::RssFeed(_) | Connection::Database(_) => &["timeout_seconds"],
        Connection::FileParser(_) if connection.is_requested() => {
            &["max_file_size_mb", "timeout_seconds"]
        }
        Connection::FileParser(_) => &["max_file_size_mb"],
        Connection::ExistingTool(_) => &[],
    }
}

fn place(key: &str) -> String {
    format!("config_overrides.{key}")
}

fn within(bound: Bound, value: Option<u32>, path: &str, out: &mut Vec<Refusal>) {
    if value.is_some_and(|value| !(bound.least..=bound.most).contains(&i64::from(value))) {
        out.push(Refusal::new(path, format!("is {} to {}", bound.least, bound.most)));
    }
}

#[cfg(test)]
mod tests;
