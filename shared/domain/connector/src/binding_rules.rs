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
            self.rate(limit, "permissions.rate_limit_override", &mut out);
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
        for (bound, value) in [
            (PER_SECOND, limit.requests_per_second),
            (PER_MINUTE, limit.requests_per_minute),
            (PER_HOUR, limit.requests_per_hour),
            (PER_DAY, limit.requests_per_day),
            (PER_MONTH, limit.requests_per_month),
        ] {
            within(bound, value, &format!("{place}.{}", bound.key), out);
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
                || format!("there are {}", known.take(20).collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let path = format!("permissions.allowed_endpoints[{n}]");
            out.push(Refusal::new(path, format!("there is no endpoint `{shown}`")).hinted(hint));
        }
    }
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
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
    use serde_json::{Value, json};

    use crate::{Binding, BindingId, ConfigOverrides, ConnectorDefinition, Health, Permissions};

    const HEAD: &str = "name: A\nversion: 1.0.0\n";
    const READS: &str = "{ description: reads, path: / }";

    fn rest() -> ConnectorDefinition {
        definition(&format!(
            "id: a\ntype: rest_api\n{HEAD}connection: {{ base_url: 'https://a.example' }}\nendpoints:\n  search: {READS}\n  list: {READS}\n"
        ))
    }

    fn definition(yaml: &str) -> ConnectorDefinition {
        let parsed = crate::parse(yaml);
        parsed.definition.unwrap_or_else(|| panic!("{:?}\n{yaml}", parsed.diagnostics))
    }

    /// The places of what is refused, with their hints.
    #[track_caller]
    fn check(
        definition: &ConnectorDefinition,
        overrides: Value,
        permissions: Value,
        expect: &[&str],
    ) {
        let overrides: ConfigOverrides = serde_json::from_value(overrides).unwrap();
        let permissions: Permissions = serde_json::from_value(permissions).unwrap();
        let refusals = definition.bindable(overrides, &permissions).err().unwrap_or_default();
        let places: Vec<&str> = refusals.iter().map(|refusal| refusal.path.as_str()).collect();
        assert_eq!(places, expect, "{refusals:?}");
    }

    #[test]
    fn f_104_the_header_of_the_credential_is_not_overridden() {
        let with = |auth: &str| {
            definition(&format!(
                "id: a\ntype: rest_api\n{HEAD}connection: {{ base_url: 'https://a.example', auth: {auth} }}\nendpoints:\n  list: {READS}\n"
            ))
        };
        let keyed = with("{ type: api_key, header: X-Key }");
        check(
            &keyed,
            json!({ "headers": { "x-KEY": "a" } }),
            json!({}),
            &["config_overrides.headers.x-key"],
        );
        check(&keyed, json!({ "headers": { "x-other": "a" } }), json!({}), &[]);
        check(&rest(), json!({ "headers": { "x-key": "a" } }), json!({}), &[]);
    }

    #[test]
    fn f_008_only_endpoints_that_are_there_can_be_allowed() {
        let rest = rest();
        check(&rest, json!({}), json!({ "allowed_endpoints": ["list", "search"] }), &[]);
        check(&rest, json!({}), json!({ "allowed_endpoints": [] }), &[]);
        let place = "permissions.allowed_endpoints[1]";
        check(&rest, json!({}), json!({ "allowed_endpoints": ["list", "serch"] }), &[place]);
        let many = json!({ "allowed_endpoints": ["list", "list", "list"] });
        check(&rest, json!({}), many, &["permissions.allowed_endpoints"]);
        let permissions = Permissions {
            allowed_endpoints: Some(vec!["serch".to_owned()]),
            ..Permissions::default()
        };
        let refusals = rest.bindable(ConfigOverrides::default(), &permissions).unwrap_err();
        assert_eq!(refusals[0].hint.as_deref(), Some("did you mean `search`?"));
    }

    #[test]
    fn f_008_unknown_permissions_and_rates_are_no_permissions() {
        for unknown in [
            json!({ "allowed_endpoint": ["x"] }),
            json!({ "rate_limit_override": { "per_minute": 3 } }),
            json!({ "rate_limit_override": { "requests_per_minute": -1 } }),
        ] {
            assert!(serde_json::from_value::<Permissions>(unknown.clone()).is_err(), "{unknown}");
        }
        // What was stored with every key reads back.
        let all = json!({
            "allowed_endpoints": ["a"],
            "rate_limit_override": {
                "requests_per_second": 0, "requests_per_minute": 1, "requests_per_hour": 1,
                "requests_per_day": 1, "requests_per_month": 1,
            },
        });
        let read: Permissions = serde_json::from_value(all.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), all);
    }

    #[test]
    fn f_105_an_overriding_rate_has_the_bounds_of_a_connectors_own() {
        let limit = |key: &str, value: u32| json!({ "rate_limit_override": { key: value } });
        for (key, most) in [
            ("requests_per_second", 1_000),
            ("requests_per_minute", 60_000),
            ("requests_per_hour", 3_600_000),
            ("requests_per_day", 10_000_000),
            ("requests_per_month", 300_000_000),
        ] {
            let place = format!("permissions.rate_limit_override.{key}");
            check(&rest(), json!({}), limit(key, 1), &[]);
            check(&rest(), json!({}), limit(key, most), &[]);
            check(&rest(), json!({}), limit(key, 0), &[&place]);
            check(&rest(), json!({}), limit(key, most + 1), &[&place]);
        }
        let nothing = json!({ "rate_limit_override": {} });
        check(&rest(), json!({}), nothing, &["permissions.rate_limit_override"]);
    }

    #[test]
    fn f_104_a_rate_is_replaced_where_it_is_the_owners_own() {
        let rate = |count: u32| json!({ "rate_limit": { "requests_per_month": count } });
        let keyed = "connection: { base_url: 'https://a.example', auth: { type: bearer_token }, rate_limit: { requests_per_month: 500 } }";
        let keyed = definition(&format!(
            "id: a\ntype: rest_api\n{HEAD}{keyed}\nendpoints:\n  list: {READS}\n"
        ));
        check(&keyed, rate(50_000), json!({}), &[]);
        check(&keyed, rate(0), json!({}), &["config_overrides.rate_limit.requests_per_month"]);
        check(&keyed, json!({ "rate_limit": {} }), json!({}), &["config_overrides.rate_limit"]);
        check(&rest(), rate(50_000), json!({}), &["config_overrides.rate_limit"]);
        let binding = Binding {
            id: BindingId::from_bytes([1; 16]),
            profile_id: "prof_1".to_owned(),
            connector_id: keyed.id.clone(),
            credential: None,
            config_overrides: serde_json::from_value(rate(50_000)).unwrap(),
            permissions: Permissions::default(),
            is_enabled: true,
            health: Health::Ok,
        };
        assert_eq!(keyed.bound_by(&binding).budget().month, Some(50_000));
    }

    #[test]
    fn f_104_an_overriding_address_is_one_the_parser_takes() {
        let url = |text: &str| json!({ "base_url": text });
        let kept: ConfigOverrides = serde_json::from_value(url("https://b.example/v2/")).unwrap();
        let kept = rest().bindable(kept, &Permissions::default()).unwrap();
        assert_eq!(kept.base_url.as_deref(), Some("https://b.example/v2"));
        for wrong in [
            "b.example",
            "http://b.example",
            "ftp://b.example",
            "https://user:secret@b.example",
            "https://b.example?key=1",
            "https://b.example#top",
            "",
        ] {
            check(&rest(), url(wrong), json!({}), &["config_overrides.base_url"]);
        }
        check(&rest(), url("http://127.0.0.1:8080"), json!({}), &[]);
    }

    #[test]
    fn f_104_what_a_type_would_ignore_is_refused() {
        let all = json!({
            "base_url": "https://b.example", "timeout_seconds": 5, "headers": { "x-a": "b" },
            "max_file_size_mb": 1,
        });
        let [url, timeout, headers, size] =
            ["base_url", "timeout_seconds", "headers", "max_file_size_mb"]
                .map(|key| format!("config_overrides.{key}"));
        let file = "connection: { source: upload, accepted_formats: [csv], max_file_size_mb: 20 }\nendpoints:\n  rows: { description: reads, parser: csv }\n";
        let feed = "connection: { feeds: [{ name: a, url: 'https://a.example/rss' }] }\nendpoints:\n  recent: { description: reads }\n";
        let tool = "connection: { tool: search_web }\nendpoints:\n  search: { description: reads, parameters: [{ name: query, required: true }] }\n";
        for (kind, rest, expect) in [
            ("file_parser", file, vec![&url, &timeout, &headers]),
            ("rss_feed", feed, vec![&url, &headers, &size]),
            ("existing_tool", tool, vec![&url, &timeout, &headers, &size]),
        ] {
            let definition = definition(&format!("id: a\ntype: {kind}\n{HEAD}{rest}"));
            let expect: Vec<&str> = expect.into_iter().map(String::as_str).collect();
            check(&definition, all.clone(), json!({}), &expect);
            let rate = json!({ "rate_limit_override": { "requests_per_minute": 3 } });
            let counted = kind == "rss_feed";
            let refused = ["permissions.rate_limit_override"];
            check(&definition, json!({}), rate, if counted { &[] } else { &refused });
        }
        check(&rest(), all, json!({}), &[&size]);
        let files = definition(&format!("id: a\ntype: file_parser\n{HEAD}{file}"));
        for (megabytes, refused) in [(1, 0), (20, 0), (0, 1), (21, 1), (201, 2)] {
            let places = vec![size.as_str(); refused];
            check(&files, json!({ "max_file_size_mb": megabytes }), json!({}), &places);
        }
        check(&rest(), json!({ "timeout_seconds": 0 }), json!({}), &[&timeout]);
        check(&rest(), json!({ "timeout_seconds": 301 }), json!({}), &[&timeout]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn f_104_an_address_is_taken_from_a_binding_when_a_connector_may_have_it(
            url in "(https?://)?([a-z.]{0,8}|localhost|u:p@a\\.b)(:[0-9]{1,5})?(/[a-z]{0,4}){0,2}(\\?a=b)?(#c)?"
        ) {
            let yaml = format!(
                "id: a\ntype: rest_api\n{HEAD}connection: {{ base_url: '{url}' }}\nendpoints:\n  list: {READS}\n"
            );
            let overrides = ConfigOverrides { base_url: Some(url), ..ConfigOverrides::default() };
            let taken = rest().bindable(overrides, &Permissions::default());
            let written = crate::parse(&yaml).definition;
            prop_assert_eq!(
                taken.ok().and_then(|kept| kept.base_url),
                written.map(|definition| definition.place(None).to_owned())
            );
        }
    }
}
