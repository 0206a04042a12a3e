use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use serde_json::{Map, Value, json};

use super::{Request, RequestError, build, placeholders};
use crate::model::{Connection, Operation};
use crate::secret::Credential;

const YAML: &str = "
id: api
name: API
type: rest_api
version: 1.0.0
connection:
  base_url: https://api.example.com/v1
  AUTH
  headers: { X-Client: countersign }
endpoints:
  get:
    description: gets
    path: /items/{item}/parts
    parameters:
      - { name: item, type: string, required: true }
      - { name: q, type: string }
      - { name: tags, type: 'string[]' }
    query: { 'filter[q]': '{q}', fixed: 'yes' }
  joined:
    description: gets by two values
    path: /items/{a}{b}/parts
    parameters: [{ name: a, type: string, required: true }, { name: b, type: string, required: true }]
  beside:
    description: gets by a value beside a written dot
    path: /items/%2E{a}
    parameters: [{ name: a, type: string, required: true }]
  post:
    description: posts
    method: POST
    path: /items
    parameters: [{ name: name, type: string }, { name: size, type: integer }]
  templated:
    description: posts a template
    method: POST
    path: /items
    parameters: [{ name: name, type: string }, { name: size, type: integer }, { name: dry, type: boolean }]
    body: { item: { title: '{name}', size: '{size}', kind: part } }
";

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn make(
    auth: &str,
    endpoint: &str,
    arguments: Value,
    credential: &[(&str, &str)],
) -> Result<Request, RequestError> {
    let parsed = crate::parse(&YAML.replace("AUTH", auth));
    let definition = parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let Connection::RestApi(connection) = &definition.connection else { panic!("rest") };
    let Operation::Request(rules) = &definition.endpoints[endpoint].operation else {
        panic!("request")
    };
    let credential: Credential =
        credential.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let credential = (!credential.is_empty()).then_some(credential);
    build(connection, rules, arguments.as_object().unwrap(), credential.as_ref())
}

fn check(arguments: Value, expect: &str) {
    let request = make("auth: { type: none }", "get", arguments, &[]).unwrap();
    assert_eq!(request.url.as_str(), expect);
}

fn header<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[test]
fn k_42_path_values_are_encoded() {
    let base = "https://api.example.com/v1/items/";
    check(json!({ "item": "a b" }), &format!("{base}a%20b/parts?fixed=yes"));
    check(
        json!({ "item": "../../admin?x=1#y" }),
        &format!("{base}..%2F..%2Fadmin%3Fx%3D1%23y/parts?fixed=yes"),
    );
    check(json!({ "item": "%2e%2e" }), &format!("{base}%252e%252e/parts?fixed=yes"));
    check(
        json!({ "item": "{q}", "q": "é&=" }),
        &format!("{base}%7Bq%7D/parts?filter%5Bq%5D=%C3%A9%26%3D&fixed=yes"),
    );
    check(json!({ "item": 7 }), &format!("{base}7/parts?fixed=yes"));
}

#[test]
fn f_096_other_arguments_become_query_parameters() {
    let expect = "https://api.example.com/v1/items/1/parts?fixed=yes&tags=a&tags=b";
    check(json!({ "item": "1", "tags": ["a", "b"], "q": null }), expect);
}

#[test]
fn k_42_bad_path_values_are_refused() {
    for value in ["", ".", ".."] {
        let error = make("auth: { type: none }", "get", json!({ "item": value }), &[]).unwrap_err();
        assert_eq!(error, RequestError::PathValue("item".to_owned()));
    }
    let error = make("auth: { type: none }", "get", json!({}), &[]).unwrap_err();
    assert_eq!(error, RequestError::MissingArgument("item".to_owned()));
    let error = make("auth: { type: none }", "get", json!({ "item": {} }), &[]).unwrap_err();
    assert!(matches!(error, RequestError::Argument { place: "path", .. }));
}

#[test]
fn k_42_values_side_by_side_make_no_folder_above() {
    let joined =
        |a: &str, b: &str| make("auth: { type: none }", "joined", json!({ "a": a, "b": b }), &[]);
    for (a, b, refused) in [(".", ".", "a"), (".", "a", "a"), ("a", "..", "b")] {
        assert_eq!(joined(a, b).unwrap_err(), RequestError::PathValue(refused.to_owned()));
    }
    // A value cannot hold an encoded dot: its percent sign is encoded itself.
    assert_eq!(joined("%2e", "%2E").unwrap().url.path(), "/v1/items/%252e%252E/parts");
    let beside = make("auth: { type: none }", "beside", json!({ "a": "." }), &[]);
    assert_eq!(beside.unwrap_err(), RequestError::PathValue("a".to_owned()));
}

#[test]
fn k_42_every_way_to_authenticate() {
    let item = || json!({ "item": "1" });
    let query =
        make("auth: { type: api_key, key_param: key }", "get", item(), &[("api_key", "s3cr3t")])
            .unwrap();
    assert!(query.url.query().unwrap().ends_with("key=s3cr3t"));
    let in_header =
        make("auth: { type: api_key, header: X-Key }", "get", item(), &[("api_key", "s3cr3t")])
            .unwrap();
    assert_eq!(header(&in_header, "x-key"), Some("s3cr3t"));
    let bearer =
        make("auth: { type: bearer_token }", "get", item(), &[("token", "s3cr3t")]).unwrap();
    assert_eq!(header(&bearer, "authorization"), Some("Bearer s3cr3t"));
    let basic =
        make("auth: { type: basic }", "get", item(), &[("username", "u"), ("password", "p")])
            .unwrap();
    assert_eq!(header(&basic, "authorization"), Some("Basic dTpw"));
    let consent = "auth: { type: oauth2_refresh_token, token_url: 'https://login.example/t' }";
    let consented = make(consent, "get", item(), &[("access_token", "s3cr3t")]).unwrap();
    assert_eq!(header(&consented, "authorization"), Some("Bearer s3cr3t"));
    let oauth = "auth: { type: oauth2_client_credentials, token_url: 'https://login.example/t' }";
    let token = make(oauth, "get", item(), &[("access_token", "s3cr3t")]).unwrap();
    assert_eq!(header(&token, "authorization"), Some("Bearer s3cr3t"));
    for request in [query, in_header, bearer, consented, token] {
        assert!(!format!("{request:?} {}", request.public_address()).contains("s3cr3t"));
    }
}

#[test]
fn k_42_missing_and_broken_credentials_have_names() {
    let error = |credential: &[(&str, &str)]| {
        make("auth: { type: bearer_token }", "get", json!({ "item": "1" }), credential).unwrap_err()
    };
    assert_eq!(error(&[]), RequestError::CredentialMissing);
    assert_eq!(error(&[("api_key", "x")]), RequestError::CredentialPart("token".to_owned()));
    assert_eq!(error(&[("token", "a\r\nx-evil: 1")]), RequestError::CredentialText);
}

#[test]
fn f_096_a_body_is_the_arguments_or_a_template() {
    let plain =
        make("auth: { type: none }", "post", json!({ "name": "a", "size": 3 }), &[]).unwrap();
    assert_eq!(plain.body, Some(json!({ "name": "a", "size": 3 })));
    let filled =
        make("auth: { type: none }", "templated", json!({ "name": "a", "dry": true }), &[])
            .unwrap();
    assert_eq!(filled.body, Some(json!({ "item": { "title": "a", "kind": "part" } })));
    assert_eq!(filled.url.query(), Some("dry=true"));
}

#[test]
fn f_096_a_form_is_written_as_one() {
    let yaml = YAML.replace(
        "    body: { item: { title: '{name}', size: '{size}', kind: part } }",
        "    body: { title: '{name}', tags: ['{size}', b], kind: 'a&b' }\n    body_format: form",
    );
    let definition =
        crate::parse(&yaml.replace("AUTH", "auth: { type: none }")).definition.unwrap();
    let Connection::RestApi(connection) = &definition.connection else { panic!("rest") };
    let Operation::Request(rules) = &definition.endpoints["templated"].operation else {
        panic!("request")
    };
    let send = |arguments: Value| build(connection, rules, arguments.as_object().unwrap(), None);
    let request = send(json!({ "name": "é =", "size": 3 })).unwrap();
    let (kind, body) = request.written_body().unwrap().unwrap();
    assert_eq!(kind, "application/x-www-form-urlencoded");
    assert_eq!(String::from_utf8(body).unwrap(), "title=%C3%A9+%3D&tags=3&tags=b&kind=a%26b");
    let error = send(json!({ "name": { "a": 1 } })).unwrap_err();
    assert!(matches!(error, RequestError::Argument { place: "form", .. }), "{error}");
}

#[test]
fn k_76_pages_stand_in_the_body_where_the_source_wants_them() {
    let yaml = YAML.replace(
        "    body: { item",
        "    safe: true\n    pagination: { type: page, in: body, size_param: limit, page_size: 50 }\n    body: { item",
    );
    let definition =
        crate::parse(&yaml.replace("AUTH", "auth: { type: none }")).definition.unwrap();
    let Connection::RestApi(connection) = &definition.connection else { panic!("rest") };
    let Operation::Request(rules) = &definition.endpoints["templated"].operation else {
        panic!("request")
    };
    let request = build(connection, rules, &Map::new(), None).unwrap();
    assert_eq!(request.url.query(), None);
    assert_eq!(request.body, Some(json!({ "item": { "kind": "part" }, "page": 1, "limit": 50 })));
}

#[test]
fn placeholders_are_found_or_refused() {
    assert_eq!(placeholders("/a/{b}/{c}"), Some(vec!["b", "c"]));
    assert_eq!(placeholders("/a"), Some(vec![]));
    for text in ["/{", "/}", "/{}", "/{a{b}}", "/{a"] {
        assert_eq!(placeholders(text), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn k_42_no_two_values_leave_their_segment(a in "[.%2eE/]{1,4}", b in "[.%2eE/]{1,4}") {
        let made = make("auth: { type: none }", "joined", json!({ "a": a, "b": b }), &[]);
        match made {
            Ok(request) => {
                let segments: Vec<_> = request.url.path_segments().unwrap().collect();
                prop_assert_eq!(segments.len(), 4, "{}", request.url);
                prop_assert_eq!((segments[0], segments[1], segments[3]), ("v1", "items", "parts"));
            }
            Err(error) => prop_assert!(matches!(error, RequestError::PathValue(_)), "{}", error),
        }
    }

    #[test]
    fn k_42_no_value_leaves_its_segment_or_host(item in "\\PC{1,40}", q in "\\PC{0,40}") {
        let arguments = json!({ "item": item, "q": q });
        match make("auth: { type: none }", "get", arguments, &[]) {
            Ok(request) => {
                prop_assert_eq!(request.url.host_str(), Some("api.example.com"));
                let segments: Vec<_> = request.url.path_segments().unwrap().collect();
                prop_assert_eq!(segments.len(), 4, "{}", request.url);
                prop_assert_eq!((segments[0], segments[1], segments[3]), ("v1", "items", "parts"));
                let sent: Map<String, Value> = request.url.query_pairs().map(|(k, v)| (k.into_owned(), v.into_owned().into())).collect();
                prop_assert_eq!(sent["filter[q]"].as_str(), Some(q.as_str()));
            }
            Err(error) => prop_assert!(matches!(error, RequestError::PathValue(_)), "{}", error),
        }
    }
}
