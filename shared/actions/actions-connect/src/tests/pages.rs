//! Pages, mapping and metadata of HTTP APIs.

use wiremock::matchers::{
    body_json, body_string, header, method, path, query_param, query_param_is_missing,
};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

fn yaml(server: &MockServer, endpoint: &str) -> String {
    format!(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection: {{ base_url: '{}' }}
endpoints:
  search:
    description: searches
    path: /search
{endpoint}",
        server.uri()
    )
}

fn ok(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

async fn ask(server: &MockServer, endpoint: &str, inputs: Value) -> Result<Value, ActionError> {
    run(World::new(&yaml(server, endpoint)), &call_of("api", "search", inputs)).await
}

#[tokio::test]
async fn f_096_a_call_goes_on_where_an_earlier_one_ended() {
    let server = MockServer::builder().start().await;
    for number in 1..=3 {
        Mock::given(query_param("page", number.to_string()))
            .respond_with(ok(json!([{ "n": number }])))
            .mount(&server)
            .await;
    }
    Mock::given(query_param("page", "4")).respond_with(ok(json!([]))).mount(&server).await;
    let endpoint = "    pagination: { type: page, page_size: 1, max_pages: 2 }\n";
    let first = ask(&server, endpoint, json!({})).await.unwrap();
    assert_eq!((&first["count"], &first["_next_cursor"]), (&json!(2), &json!(3)));
    let limit = "page limit reached (`max_pages` is 2): 2 records read, the source may have more; a call goes on from `_next_cursor`";
    assert_eq!(first["warnings"], json!([limit]));
    let second = ask(&server, endpoint, json!({ "_cursor": first["_next_cursor"] })).await.unwrap();
    assert_eq!((&second["results"][0]["n"], &second["_has_more"]), (&json!(3), &json!(false)));
    assert_eq!(second["warnings"], json!([]));
    let error = ask(&server, endpoint, json!({ "_cursor": "x" })).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_ARGUMENT");
}

#[tokio::test]
async fn f_096_a_link_is_continued_by_its_query() {
    let server = MockServer::builder().start().await;
    let link = format!("<{}/search?after=k1>; rel=\"next\"", server.uri());
    Mock::given(query_param_is_missing("after"))
        .respond_with(ok(json!([{ "n": 1 }])).insert_header("link", link.as_str()))
        .mount(&server)
        .await;
    Mock::given(query_param("after", "k1"))
        .respond_with(ok(json!([{ "n": 2 }])))
        .mount(&server)
        .await;
    let endpoint = "    pagination: { type: link_header }\n";
    let first = ask(&server, endpoint, json!({})).await.unwrap();
    assert_eq!((&first["has_more"], &first["_next_cursor"]), (&json!(true), &json!("after=k1")));
    let second = ask(&server, endpoint, json!({ "_cursor": "after=k1" })).await.unwrap();
    assert_eq!((&second["results"][0]["n"], &second["_next_cursor"]), (&json!(2), &Value::Null));
}

#[tokio::test]
async fn k_38_a_cursor_leaves_what_the_author_fixed() {
    let server = MockServer::builder().start().await;
    Mock::given(query_param("visibility", "public"))
        .and(query_param("page", "2"))
        .respond_with(ok(json!([{ "n": 2 }])))
        .expect(1)
        .mount(&server)
        .await;
    let endpoint = "    query: { visibility: public }\n    pagination: { type: link_header }\n";
    let cursor = json!({ "_cursor": "visibility=private&page=2" });
    let output = ask(&server, endpoint, cursor).await.unwrap();
    assert_eq!(output["results"][0]["n"], json!(2));
    let asked = server.received_requests().await.unwrap();
    assert_eq!(asked[0].url.query(), Some("page=2&visibility=public"));
}

#[tokio::test]
async fn k_76_a_next_page_that_cannot_be_fetched_is_said() {
    let server = MockServer::builder().start().await;
    let links = [
        "</search?page=1>; rel=\"prev\"",
        "<http://elsewhere.example/search?key=s3cr3t>; rel=\"next last\"",
    ];
    let answer = links
        .iter()
        .fold(ok(json!([{ "n": 1 }])), |answer, link| answer.append_header("link", *link));
    Mock::given(path("/search")).respond_with(answer).expect(1).mount(&server).await;
    let endpoint = "    pagination: { type: link_header, max_pages: 9 }\n";
    let output = ask(&server, endpoint, json!({})).await.unwrap();
    assert_eq!(
        (&output["count"], &output["_has_more"], &output["_next_cursor"]),
        (&json!(1), &json!(true), &Value::Null)
    );
    let warning = output["warnings"][0].as_str().unwrap();
    assert!(warning.contains("at `http://elsewhere.example`"), "{warning}");
    assert!(!output.to_string().contains("s3cr3t"), "{output}");
}

#[tokio::test]
async fn k_76_a_search_in_the_body_turns_its_pages_there() {
    let server = MockServer::builder().start().await;
    for (number, more) in [(1, true), (2, false)] {
        Mock::given(method("POST"))
            .and(body_json(json!({ "filters": { "q": "x" }, "page": number, "limit": 50 })))
            .respond_with(ok(json!({ "results": [{ "n": number }], "meta": { "more": more } })))
            .expect(1)
            .mount(&server)
            .await;
    }
    let endpoint = "    method: POST
    safe: true
    parameters: [{ name: q, type: string }]
    body: { filters: { q: '{q}' } }
    pagination: { type: page, in: body, size_param: limit, page_size: 50, more_path: meta.more, max_pages: 9 }
    response_mapping: { results_path: results }
";
    let output = ask(&server, endpoint, json!({ "q": "x" })).await.unwrap();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(2), &json!(false)));
}

#[tokio::test]
async fn f_096_a_form_is_sent_as_one() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .and(header("content-type", "application/x-www-form-urlencoded"))
        .and(body_string("q=a+%26+b&format=json"))
        .respond_with(ok(json!([{ "n": 1 }])))
        .mount(&server)
        .await;
    let endpoint = "    method: POST
    safe: true
    body_format: form
    parameters: [{ name: q, type: string }]
    body: { q: '{q}', format: json }
";
    assert_eq!(ask(&server, endpoint, json!({ "q": "a & b" })).await.unwrap()["count"], 1);
    let error = ask(&server, endpoint, json!({ "q": { "a": 1 } })).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_ARGUMENT");
}

#[tokio::test]
async fn f_091_values_are_of_the_declared_types_and_the_envelope_is_told() {
    let server = MockServer::builder().start().await;
    let answer = json!({
        "hits": { "total": { "value": 120 }, "hits": [
            { "_source": { "name": "a", "amount": "1,000" } },
            { "_source": { "title": "b", "amount": "lots" } },
        ] },
    });
    Mock::given(path("/search")).respond_with(ok(answer)).mount(&server).await;
    let endpoint = "    response_mapping:
      results_path: hits.hits
      fields: { name: _source.name | _source.title, amount: _source.amount }
    output_schema:
      fields: [{ name: name, type: string }, { name: amount, type: integer }]
      metadata_fields: [{ name: count }, { name: total, type: integer, path: hits.total.value }]
";
    let output = ask(&server, endpoint, json!({})).await.unwrap();
    let own: Vec<Value> = output["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| own_fields(record).into())
        .collect();
    assert_eq!(
        own,
        [json!({ "name": "a", "amount": 1000 }), json!({ "name": "b", "amount": null })]
    );
    assert_eq!(output["total"], 120);
    assert_eq!(
        output["warnings"],
        json!(["record 2, field `amount`: `lots` is not of type integer"])
    );
}

#[tokio::test]
async fn f_091_warnings_are_counted_and_the_first_are_listed() {
    let server = MockServer::builder().start().await;
    let rows: Vec<Value> = (0..250).map(|_| json!({ "amount": "x" })).collect();
    Mock::given(path("/search")).respond_with(ok(rows.into())).mount(&server).await;
    let endpoint = "    output_schema: { fields: [{ name: amount, type: number }] }\n";
    let output = ask(&server, endpoint, json!({})).await.unwrap();
    let listed = output["warnings"].as_array().unwrap().len();
    assert_eq!((listed, &output["warning_count"]), (100, &json!(250)));
    assert_eq!(output["count"], 250);
}

#[tokio::test]
async fn f_091_of_many_expected_fields_those_that_are_not_listed_are_counted() {
    let server = MockServer::builder().start().await;
    let row = json!({ "id": 1 });
    Mock::given(path("/search")).respond_with(ok(json!([row]))).mount(&server).await;
    let names: Vec<String> = (0..150).map(|n| format!("field_{n}")).collect();
    let endpoint = format!("    expected_fields: [{}]\n", names.join(", "));
    let output = ask(&server, &endpoint, json!({})).await.unwrap();
    let listed = output["warnings"].as_array().unwrap().len();
    assert_eq!((listed, &output["warning_count"]), (100, &json!(150)));
}

#[tokio::test]
async fn f_096_a_limit_is_named_before_the_values_that_do_not_fit() {
    let server = MockServer::builder().start().await;
    let rows: Vec<Value> = (0..150).map(|_| json!({ "amount": "x" })).collect();
    Mock::given(path("/search")).respond_with(ok(rows.into())).mount(&server).await;
    let endpoint = "    pagination: { type: page, page_size: 150, max_pages: 2, max_records: 120 }\n    output_schema: { fields: [{ name: amount, type: number }] }\n";
    let output = ask(&server, endpoint, json!({})).await.unwrap();
    let limit = "record limit reached (`max_records` is 120): 120 records read, the source may have more; raise the limit";
    assert_eq!((&output["count"], &output["warnings"][0]), (&json!(120), &json!(limit)));
    assert_eq!(output["has_more"], true);
}

#[tokio::test]
async fn f_096_a_list_of_which_the_beginning_is_wanted_is_not_warned_about() {
    let server = MockServer::builder().start().await;
    let rows: Vec<Value> = (0..3).map(|n| json!({ "n": n })).collect();
    Mock::given(path("/search")).respond_with(ok(rows.into())).mount(&server).await;
    for limit in ["max_pages: 1", "max_pages: 3, max_records: 5", "max_pages: 3, max_records: 2"] {
        let asked = |first: &str| {
            format!("    pagination: {{ type: page, page_size: 3, {limit}{first} }}\n")
        };
        let cut = ask(&server, &asked(""), json!({})).await.unwrap();
        let first = ask(&server, &asked(", first_only: true"), json!({})).await.unwrap();
        assert_eq!((&cut["has_more"], &first["has_more"]), (&json!(true), &json!(true)));
        let both = [&cut, &first].map(|output| output["warnings"].as_array().unwrap().len());
        assert_eq!(both, [1, 0], "{limit}");
        assert_eq!(
            (&cut["results"], &cut["_next_cursor"]),
            (&first["results"], &first["_next_cursor"])
        );
    }
}

#[tokio::test]
async fn f_096_a_page_that_fails_is_said_also_of_a_list_of_which_the_beginning_is_wanted() {
    let server = MockServer::builder().start().await;
    let first = ok(json!([{ "n": 1 }]));
    Mock::given(query_param("page", "1")).respond_with(first).mount(&server).await;
    let gone = ResponseTemplate::new(404);
    Mock::given(query_param("page", "2")).respond_with(gone).mount(&server).await;
    let endpoint = "    pagination: { type: page, page_size: 1, max_pages: 2, first_only: true }\n";
    let output = ask(&server, endpoint, json!({})).await.unwrap();
    let said = output["warnings"][0].as_str().unwrap();
    assert!(said.starts_with("page 2 could not be read"), "{said}");
}

#[tokio::test]
async fn f_091_an_expected_field_that_is_empty_in_every_record_is_said_once() {
    let server = MockServer::builder().start().await;
    let rows = |sum: Value| json!([{ "id": 1, "sum": null, "tags": [] }, { "id": 2, "sum": sum, "tags": [] }]);
    let endpoint = "    pagination: { type: page, page_size: 2, max_pages: 3 }\n    response_mapping: { fields: { id: id, amount: sum, renamed: total, tags: tags } }\n    output_schema: { fields: [{ name: id, type: integer }, { name: amount, type: decimal }, { name: renamed, type: number }, { name: tags, type: 'string[]' }] }\n    expected_fields: [id, amount, renamed, tags]\n";
    for (page, answer) in [("1", rows(Value::Null)), ("2", rows(json!(7.5))), ("3", json!([]))] {
        Mock::given(query_param("page", page)).respond_with(ok(answer)).mount(&server).await;
    }
    let output = ask(&server, endpoint, json!({})).await.unwrap();
    let said = |field: &str| {
        format!(
            "field `{field}` is empty in all 4 records: the source may have renamed it, or its path is wrong"
        )
    };
    assert_eq!(output["warnings"], json!([said("renamed"), said("tags")]));
    // An answer without a record has nothing to miss.
    let empty = MockServer::builder().start().await;
    Mock::given(path("/search")).respond_with(ok(json!([]))).mount(&empty).await;
    assert_eq!(ask(&empty, endpoint, json!({})).await.unwrap()["warnings"], json!([]));
}

#[tokio::test]
async fn f_092_a_sample_call_tells_the_schema() {
    let server = MockServer::builder().start().await;
    let answer =
        json!([{ "id": 1, "day": "2024-05-06" }, { "id": 2.5, "day": null, "tags": ["a"] }]);
    Mock::given(path("/search")).respond_with(ok(answer)).mount(&server).await;
    let output = ask(&server, "", json!({})).await.unwrap();
    let schema = countersign_connector::infer_schema(&output["results"]);
    assert_eq!(
        schema.as_written(),
        json!({ "type": "record_set", "fields": [
            { "name": "id", "type": "number" }, { "name": "day", "type": "date" }, { "name": "tags", "type": "string[]" },
        ] })
    );
}

#[tokio::test]
async fn k_75_another_page_is_another_answer() {
    let server = MockServer::builder().start().await;
    Mock::given(query_param("page", "1"))
        .respond_with(ok(json!([{ "n": 1 }])))
        .mount(&server)
        .await;
    let down = ResponseTemplate::new(503);
    Mock::given(query_param("page", "2")).respond_with(down).mount(&server).await;
    let endpoint = "    pagination: { type: page, page_size: 1 }\n";
    let world = Arc::new(World::new(&yaml(&server, endpoint)));
    let ask = |inputs: Value| {
        let (world, call) = (world.clone(), call_of("api", "search", inputs));
        async move { run_with(&world, Mode::Read, Policy { allow_loopback: true }, &call).await }
    };
    assert_eq!(ask(json!({})).await.unwrap()["_next_cursor"], 2);
    let error = ask(json!({ "_cursor": 2 })).await.unwrap_err();
    assert_eq!(
        error.code, "CONNECTOR_UNAVAILABLE",
        "the first page does not stand in for the second"
    );
}

#[tokio::test]
async fn f_091_numbers_and_cursors_of_an_answer_keep_all_their_digits() {
    const CURSOR: &str = "12345678901234567890123";
    let server = MockServer::builder().start().await;
    let page = |next: &str, sum: &str| {
        let body = format!(r#"{{"next": {next}, "rows": [{{"sum": {sum}}}]}}"#);
        ResponseTemplate::new(200).set_body_raw(body, "application/json")
    };
    Mock::given(query_param_is_missing("after"))
        .respond_with(page(CURSOR, "1234567890123456.78"))
        .mount(&server)
        .await;
    Mock::given(query_param("after", CURSOR))
        .respond_with(page("null", "1.5"))
        .mount(&server)
        .await;
    let endpoint =
        "    pagination: { type: cursor, cursor_param: after, cursor_path: next, max_pages: 3 }
    response_mapping: { results_path: rows, fields: { exact: sum, near: sum } }
    output_schema:
      fields: [{ name: exact, type: decimal }, { name: near, type: number }]
";
    let said = ask(&server, endpoint, json!({})).await.unwrap();
    assert_eq!(
        (&said["results"][0]["exact"], &said["results"][0]["near"]),
        (&json!("1234567890123456.78"), &Value::Null)
    );
    assert_eq!(
        (&said["results"][1]["exact"], &said["results"][1]["near"]),
        (&json!("1.5"), &json!(1.5))
    );
    let lost = "record 1, field `near`: `1234567890123456.78` is not of type number; it has more digits than a number keeps: a `decimal` has up to 28";
    assert_eq!(said["warnings"], json!([lost]));
}
