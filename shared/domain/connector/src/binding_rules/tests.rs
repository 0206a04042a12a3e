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
fn check(definition: &ConnectorDefinition, overrides: Value, permissions: Value, expect: &[&str]) {
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
    let permissions =
        Permissions { allowed_endpoints: Some(vec!["serch".to_owned()]), ..Permissions::default() };
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
fn f_008_f_105_an_overriding_rate_only_lowers_the_connectors() {
    let limited = "connection: { base_url: 'https://a.example', auth: { type: bearer_token }, rate_limit: { requests_per_hour: 500 } }";
    let limited = definition(&format!(
        "id: a\ntype: rest_api\n{HEAD}{limited}\nendpoints:\n  list: {READS}\n"
    ));
    let lower = |key: &str, value: u32| json!({ "rate_limit_override": { key: value } });
    let place = "permissions.rate_limit_override.requests_per_hour";
    check(&limited, json!({}), lower("requests_per_hour", 500), &[]);
    check(&limited, json!({}), lower("requests_per_hour", 501), &[place]);
    // Of windows of different lengths too: no minute has more calls than its hour.
    check(&limited, json!({}), lower("requests_per_minute", 500), &[]);
    let minute = "permissions.rate_limit_override.requests_per_minute";
    check(&limited, json!({}), lower("requests_per_minute", 501), &[minute]);
    check(&limited, json!({}), lower("requests_per_day", 12_000), &[]);
    let day = "permissions.rate_limit_override.requests_per_day";
    check(&limited, json!({}), lower("requests_per_day", 12_001), &[day]);
    let own = json!({ "rate_limit": { "requests_per_hour": 600 } });
    check(&limited, own.clone(), lower("requests_per_hour", 501), &[]);
    check(&limited, own, lower("requests_per_hour", 601), &[place]);
}

#[test]
fn f_104_a_rate_is_replaced_where_it_is_the_owners_own() {
    let rate = |count: u32| json!({ "rate_limit": { "requests_per_month": count } });
    let keyed = "connection: { base_url: 'https://a.example', auth: { type: bearer_token }, rate_limit: { requests_per_month: 500 } }";
    let keyed =
        definition(&format!("id: a\ntype: rest_api\n{HEAD}{keyed}\nendpoints:\n  list: {READS}\n"));
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
        created_at: None,
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
