//! What every type shares: category, tags, the credentials form.

use super::*;
use crate::model::{Auth, Category};
use crate::parse_template;

fn with(lines: &str) -> String {
    MINIMAL.replace("version: 1.0.0\n", &format!("version: 1.0.0\n{lines}"))
}

#[test]
fn f_106_category_and_tags_are_read() {
    let definition =
        parse(&with("category: finance\ntags: [donors, us-2024, donors]\n")).definition.unwrap();
    assert_eq!(definition.category, Category::Finance);
    let tags: Vec<_> = definition.tags.iter().map(crate::Tag::as_str).collect();
    assert_eq!(tags, ["donors", "us-2024"]);
    assert_eq!(parse(MINIMAL).definition.unwrap().category, Category::General);
    check(&with("category: finances\n"), &["5:11 category"]);
    check(&with("tags: [Donors, '', a b, 7]\n"), &["5:8 tag", "5:16 tag", "5:20 tag", "5:25 type"]);
    let many: Vec<String> = (0..21).map(|n| format!("t{n}")).collect();
    let text = with(&format!("tags: [{}]\n", many.join(", ")));
    assert!(parse(&text).definition.is_none(), "at most 20");
}

#[test]
fn f_103_the_form_asks_for_what_calls_need() {
    let keyed =
        |fields: &str| with(fields).replace("endpoints:", "  auth: { type: basic }\nendpoints:");
    let fine = keyed(
        "auth_fields:\n  - { name: username, label: Name, type: text }\n  - { name: password }\n",
    );
    let definition = parse(&fine).definition.unwrap();
    let form: Vec<_> = definition
        .auth_fields
        .iter()
        .map(|field| (field.name.as_str(), field.label.as_str(), field.field_type.as_str()))
        .collect();
    assert_eq!(form, [("username", "Name", "text"), ("password", "password", "password")]);
    check(&keyed("auth_fields: [{ name: username }]\n"), &["5:23 auth_fields"]);
    check(
        &keyed("auth_fields: [{ name: username }, { name: password }, { name: token }]\n"),
        &["5:63 auth_fields"],
    );
    check(
        &keyed("auth_fields: [{ name: username }, { name: password, type: file }]\n"),
        &["5:59 type"],
    );
    check(
        &keyed("auth_fields: [{ name: username }, { name: password }, { name: password }]\n"),
        &["5:63 duplicate"],
    );
    check(&with("auth_fields: [{ name: token }]\n"), &["5:23 auth_fields"]);
}

#[test]
fn k_37_only_templates_name_the_environment() {
    let text = with("auth_fields: [{ name: token, label: Token, env_var: GITHUB_TOKEN }]\n")
        .replace("endpoints:", "  auth: { type: bearer_token }\nendpoints:");
    let parsed = parse(&text);
    assert_eq!(parsed.definition.unwrap().auth_fields[0].env_var, None);
    assert_eq!(parsed.diagnostics[0].code, "env_var");
    assert!(parsed.diagnostics[0].message.contains("ignored"));
    let parsed = parse_template(&text);
    assert_eq!(parsed.diagnostics, []);
    assert_eq!(parsed.definition.unwrap().auth_fields[0].env_var.as_deref(), Some("GITHUB_TOKEN"));
    for name in ["github_token", "9A", "A-B", "''"] {
        assert!(parse_template(&text.replace("GITHUB_TOKEN", name)).definition.is_none(), "{name}");
    }
}

#[test]
fn f_103_clients_buy_their_token_at_an_https_address() {
    let auth = |more: &str| {
        MINIMAL.replace(
            "endpoints:",
            &format!("  auth: {{ type: oauth2_client_credentials{more} }}\nendpoints:"),
        )
    };
    let definition =
        parse(&auth(", token_url: 'https://login.example/t', scope: ' a b '")).definition.unwrap();
    assert_eq!(definition.credential_fields(), ["client_id", "client_secret"]);
    let Some(Auth::Oauth2ClientCredentials(server)) = definition.connection.auth() else {
        panic!("oauth")
    };
    assert_eq!(server.scope.as_deref(), Some("a b"));
    check(&auth(""), &["7:9 missing"]);
    check(&auth(", token_url: 'http://login.example/t'"), &["7:55 token_url"]);
    check(&auth(", token_url: 'https://login.example/t', client_auth: both"), &["7:95 auth"]);
    check(&auth(", token_url: 'https://login.example/t', key_param: k"), &["7:82 unknown_key"]);
}

#[test]
fn r_010_a_consent_buys_its_token_at_an_https_address() {
    let auth = |more: &str| {
        let auth = format!("  auth: {{ type: oauth2_refresh_token{more} }}\nendpoints:");
        MINIMAL.replace("endpoints:", &auth)
    };
    let text = auth(", token_url: 'https://login.example/t', client_auth: body");
    let definition = parse(&text).definition.unwrap();
    assert_eq!(definition.credential_fields(), ["client_id", "client_secret", "refresh_token"]);
    let stored = serde_json::to_value(definition.connection.auth()).unwrap();
    let expect = serde_json::json!({ "type": "oauth2_refresh_token", "token_url": "https://login.example/t", "client_auth": "body" });
    assert_eq!(stored, expect);
    check(&auth(""), &["7:9 missing"]);
    check(&auth(", token_url: 'http://login.example/t'"), &["7:50 token_url"]);
}

/// As stored before categories, tags, forms, hours and months were known.
const OLD: &str = r#"{"id":"small-api","name":"Small","version":"1.0.0","description":"","connection":{"type":"rest_api","base_url":"https://api.example.com/v1","auth":{"type":"bearer_token"},"rate_limit":{"requests_per_second":5},"timeout_seconds":30},"auth_fields":[{"name":"token","label":"Token","type":"password"}],"endpoints":{"search":{"description":"searches","parameters":[],"operation":{"request":{"method":"GET","safe":false,"path":"/search","pagination":{"type":"page","page_param":"page","size_param":null,"page_size":100,"first_page":1,"bounds":{"max_pages":1,"max_records":1000}},"results_path":"items","fields":{"a":"b.c"}}},"entities":{"entity_type":"","extraction":[]},"output":{"type":"record_set","fields":[{"name":"a","type":"any"}],"inferred":true}}}}"#;

#[test]
fn a_definition_stored_before_is_read_and_written_the_same() {
    let definition: crate::ConnectorDefinition = serde_json::from_str(OLD).unwrap();
    assert_eq!(definition.category, Category::General);
    // Signatures cover the stored form.
    assert_eq!(serde_json::to_string(&definition).unwrap(), OLD);
}
