use std::sync::LazyLock;

use proptest::prelude::{Just, ProptestConfig, Strategy as _, any, prop_oneof, proptest};
use serde_json::{Value, json};

use super::{GraphqlAnswer, Reason, build, next_page, outcome};
use crate::answer::Unreachable;
use crate::model::{Connection, Operation};
use crate::request::{Request, RequestError};
use crate::secret::Credential;
use crate::{ConnectorDefinition, GraphqlRules};

const YAML: &str = "
id: repos
name: Repositories
type: graphql
version: 1.0.0
connection:
  endpoint: https://api.example.com/graphql
  auth: { type: bearer_token }
endpoints:
  search:
    description: searches
    query: |
      query($q: String!, $first: Int = 10, $after: String) {
        search(query: $q, first: $first, after: $after) {
          nodes { name }
          pageInfo { hasNextPage endCursor }
        }
      }
    variables:
      - { name: q, type: string, required: true }
      - { name: first, type: integer }
    pagination: { type: relay, page_info_path: search.pageInfo, max_pages: 3 }
    response_mapping: { results_path: search.nodes, fields: { name: name } }
";

static DEFINITION: LazyLock<ConnectorDefinition> = LazyLock::new(|| {
    let parsed = crate::parse(YAML);
    parsed.definition.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics))
});

fn rules() -> &'static GraphqlRules {
    let Operation::Graphql(rules) = &DEFINITION.endpoints["search"].operation else {
        panic!("graphql")
    };
    rules
}

fn make(arguments: &Value, cursor: Option<&Value>) -> Result<Request, RequestError> {
    let Connection::Graphql(connection) = &DEFINITION.connection else { panic!("graphql") };
    let credential: Credential = [("token".to_owned(), "s3cr3t".to_owned())].into_iter().collect();
    let arguments = arguments.as_object().unwrap();
    build(connection, rules(), arguments, cursor, Some(&credential))
}

#[test]
fn f_097_a_query_document_is_sent_with_its_variables() {
    let request = make(&json!({ "q": "rust", "first": null }), None).unwrap();
    let body = request.body.clone().unwrap();
    assert_eq!(body["variables"], json!({ "q": "rust" }));
    assert!(body["query"].as_str().unwrap().starts_with("query($q: String!"));
    assert_eq!(
        (request.method.as_str(), request.url.as_str()),
        ("POST", "https://api.example.com/graphql")
    );
    assert!(request.headers.contains(&("authorization".to_owned(), "Bearer s3cr3t".to_owned())));
    let on = make(&json!({ "q": "rust" }), Some(&json!("abc"))).unwrap();
    assert_eq!(on.body.unwrap()["variables"], json!({ "q": "rust", "after": "abc" }));
    for cursor in [json!(3), json!(""), json!({})] {
        assert_eq!(make(&json!({}), Some(&cursor)), Err(RequestError::Cursor));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn check(answer: Value, expect: Result<&[&str], (&str, Reason)>) {
    let expect = match expect {
        Ok([]) => GraphqlAnswer::Fine,
        Ok(errors) => GraphqlAnswer::Partial(errors.iter().map(|&text| text.to_owned()).collect()),
        Err((message, reason)) => GraphqlAnswer::Failed { message: message.to_owned(), reason },
    };
    assert_eq!(outcome(&answer), expect, "{answer}");
}

#[test]
fn f_097_errors_of_graphql_are_told_from_data() {
    check(json!({ "data": { "a": 1 } }), Ok(&[]));
    check(json!({ "data": { "a": 1 }, "errors": [] }), Ok(&[]));
    check(
        json!({ "data": { "a": 1, "b": null }, "errors": [{ "message": "no\n b", "path": ["b", 0, "c"] }, {}] }),
        Ok(&["no b (at `b.0.c`)", "an error without a message"]),
    );
    check(json!({ "errors": [{ "message": "syntax" }] }), Err(("syntax", Reason::Refused)));
    check(json!({ "data": null, "errors": [{ "message": "x" }] }), Err(("x", Reason::Broken)));
    check(
        json!({ "data": { "a": null }, "errors": [{ "message": "x" }] }),
        Err(("x", Reason::Broken)),
    );
    check(
        json!({ "errors": [{ "message": "slow down", "type": "RATE_LIMITED" }] }),
        Err(("slow down", Reason::Throttled)),
    );
    check(
        json!({ "data": null, "errors": [{ "message": "who?", "extensions": { "code": "UNAUTHENTICATED" } }] }),
        Err(("who?", Reason::Unauthenticated)),
    );
    assert_eq!(outcome(&json!([1])), GraphqlAnswer::NotGraphql);
}

#[test]
fn k_76_relay_pages_end_and_never_loop() {
    let first = make(&json!({ "q": "a" }), None).unwrap();
    let answer = |info: Value| json!({ "data": { "search": { "pageInfo": info } } });
    let more = answer(json!({ "hasNextPage": true, "endCursor": "c1" }));
    let next = next_page(rules(), &first, &more).unwrap().unwrap();
    assert_eq!(next.cursor, json!("c1"));
    assert_eq!(next.request.body.as_ref().unwrap()["variables"]["after"], "c1");
    let again = next_page(rules(), &next.request, &more);
    assert_eq!(again, Err(Unreachable::Nowhere), "the same cursor again");
    for end in [json!({ "hasNextPage": false, "endCursor": "c2" }), json!(null)] {
        assert_eq!(next_page(rules(), &first, &answer(end)), Ok(None));
    }
    for lost in [
        json!({ "hasNextPage": true, "endCursor": null }),
        json!({ "hasNextPage": true, "endCursor": "" }),
        json!({ "hasNextPage": true }),
    ] {
        assert_eq!(next_page(rules(), &first, &answer(lost)), Err(Unreachable::Nowhere));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_answer_panics(answer in prop_oneof![Just(json!({})), any::<i64>().prop_map(Value::from)].prop_recursive(3, 20, 4, |inner| {
        let key = prop_oneof![Just("errors"), Just("data"), Just("message"), Just("path"), Just("extensions"), Just("code")];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..4)
                .prop_map(|all| Value::Object(all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())),
        ]
    })) {
        let _ = (outcome(&answer), next_page(rules(), &make(&json!({}), None).unwrap(), &answer));
    }
}
