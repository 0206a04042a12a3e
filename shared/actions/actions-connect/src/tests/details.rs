//! Records that an answer only lists, read one by one, and mails.

use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };

fn yaml(server: &MockServer) -> String {
    format!(
        "
id: mailbox
name: Mailbox
type: rest_api
version: 1.0.0
connection:
  base_url: {uri}
  auth: {{ type: oauth2_refresh_token, token_url: '{uri}/token', client_auth: body }}
endpoints:
  search:
    description: finds mails
    path: /messages
    parameters: [{{ name: q, type: string }}]
    pagination: {{ type: cursor, cursor_path: next, max_pages: 2 }}
    details: {{ path: '/messages/{{id}}', query: {{ format: full }} }}
    response_mapping:
      results_path: messages
      results_optional: true
      fields: {{ id: id, from: \"headers[name='From'].value\", text: body }}
      base64: [text]
  send:
    description: sends a mail
    method: POST
    path: /send
    parameters: [{{ name: to, type: 'string[]', required: true }}, {{ name: text, required: true }}]
    body_format: mail
    body: {{ message: {{ to: '{{to}}', subject: Grüße, text: '{{text}}' }}, metadata: {{ thread: t }} }}
",
        uri = server.uri()
    )
}

async fn world(server: &MockServer) -> Arc<World> {
    world_of(server, &yaml(server)).await
}

async fn world_of(server: &MockServer, yaml: &str) -> Arc<World> {
    let token = json!({ "access_token": "t0ken-one", "token_type": "Bearer", "expires_in": 3599 });
    Mock::given(method("POST"))
        .and(path("/token"))
        .respond_with(ResponseTemplate::new(200).set_body_json(token))
        .expect(1)
        .mount(server)
        .await;
    let parts = vec![
        ("client_id", "client-7"),
        ("client_secret", "s3cr3t-client"),
        ("refresh_token", "s3cr3t-consent"),
    ];
    Arc::new(World { parts, ..World::new(yaml) })
}

async fn lists(server: &MockServer, cursor: Option<&str>, body: Value) {
    let listed = Mock::given(method("GET")).and(path("/messages"));
    let listed = match cursor {
        Some(cursor) => listed.and(query_param("cursor", cursor)),
        None => listed.and(wiremock::matchers::query_param_is_missing("cursor")),
    };
    listed.respond_with(ResponseTemplate::new(200).set_body_json(body)).mount(server).await;
}

async fn holds(server: &MockServer, id: &str, answer: ResponseTemplate) {
    Mock::given(path(format!("/messages/{id}")))
        .and(query_param("format", "full"))
        .and(header("authorization", "Bearer t0ken-one"))
        .respond_with(answer)
        .mount(server)
        .await;
}

fn mail(id: &str, body: &str) -> ResponseTemplate {
    let headers = json!([{ "name": "To", "value": "me" }, { "name": "From", "value": format!("{id}@example.org") }]);
    ResponseTemplate::new(200).set_body_json(json!({ "id": id, "headers": headers, "body": body }))
}

async fn search(world: &Arc<World>) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, LOCAL, &call_of("mailbox", "search", json!({ "q": "x" }))).await
}

#[tokio::test]
async fn r_013_each_listed_mail_is_read_in_order_over_all_pages() {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    let first =
        json!({ "messages": [{ "id": "a" }, { "id": "b" }, { "id": "gone" }], "next": "n" });
    lists(&server, None, first).await;
    lists(&server, Some("n"), json!({ "messages": [{ "id": "c/d" }, { "x": 1 }] })).await;
    holds(&server, "a", mail("a", "SGVsbG8").set_delay(Duration::from_millis(150))).await;
    holds(&server, "b", mail("b", "no base64!")).await;
    holds(&server, "gone", ResponseTemplate::new(404)).await;
    holds(&server, "c%2Fd", mail("c", "w6Q=")).await;
    let found = search(&world).await.unwrap();
    let read: Vec<Value> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mail| json!([mail["id"], mail["from"], mail["text"]]))
        .collect();
    assert_eq!(
        read,
        [
            json!(["a", "a@example.org", "Hello"]),
            json!(["b", "b@example.org", null]),
            json!(["c", "c@example.org", "ä"]),
        ],
        "{found:#}"
    );
    let warnings = found["warnings"].to_string();
    for part in [
        "record 2, field `text`: it is not base64",
        "a record is left out: `http",
        "is not there any more",
        "`id` is missing",
    ] {
        assert!(warnings.contains(part), "`{part}` is not in {warnings}");
    }
    assert_eq!(found["count"], 3);
    let at = found["results"][2]["_source_ref"].as_str().unwrap();
    assert!(at.ends_with("/messages/c%2Fd"), "where it was read: {at}");
}

#[tokio::test]
async fn r_013_an_answer_that_lists_nothing_has_no_records() {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    lists(&server, None, json!({ "estimate": 0 })).await;
    let found = search(&world).await.unwrap();
    assert_eq!((&found["count"], &found["warnings"]), (&json!(0), &json!([])), "{found:#}");
}

/// A search whose second mail is answered so: how it ends, and how often the list and that mail were asked for.
async fn second_is(answer: ResponseTemplate) -> (&'static str, usize, usize) {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    lists(&server, None, json!({ "messages": [{ "id": "a" }, { "id": "b" }] })).await;
    holds(&server, "a", mail("a", "").set_delay(Duration::from_millis(100))).await;
    holds(&server, "b", answer).await;
    let code = search(&world).await.unwrap_err().code;
    let asked = server.received_requests().await.unwrap();
    let of = |path: &str| asked.iter().filter(|one| one.url.path() == path).count();
    (code, of("/messages"), of("/messages/b"))
}

#[tokio::test]
async fn r_013_a_mail_that_cannot_be_read_now_fails_the_search() {
    let busy = ResponseTemplate::new(503);
    assert_eq!(second_is(busy).await, ("CONNECTOR_UNAVAILABLE", 1, 2), "tried once more");
    let later = ResponseTemplate::new(429).insert_header("retry-after", "0");
    assert_eq!(second_is(later).await, ("CONNECTOR_THROTTLED", 1, 4), "three times more");
    assert_eq!(second_is(ResponseTemplate::new(403)).await, ("CONNECTOR_AUTH_FAILED", 1, 1));
}

#[tokio::test]
async fn k_37_what_base64_hides_of_a_credential_is_taken_out() {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    lists(&server, None, json!({ "messages": [{ "id": "a" }] })).await;
    // "my consent is s3cr3t-consent"
    holds(&server, "a", mail("a", "bXkgY29uc2VudCBpcyBzM2NyM3QtY29uc2VudA")).await;
    let found = search(&world).await.unwrap();
    assert_eq!(found["results"][0]["text"], "my consent is [redacted]");
}

#[tokio::test]
async fn r_013_no_call_reads_more_than_fifty_one_by_one() {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    let all: Vec<Value> = (0..60).map(|n| json!({ "id": format!("m{n}") })).collect();
    lists(&server, None, json!({ "messages": all })).await;
    Mock::given(wiremock::matchers::path_regex("^/messages/m"))
        .respond_with(mail("m", ""))
        .expect(50)
        .mount(&server)
        .await;
    let found = search(&world).await.unwrap();
    assert_eq!((&found["count"], &found["has_more"]), (&json!(50), &json!(true)));
    let said = found["warnings"].to_string();
    assert!(said.contains("`max_records` is 50") && said.contains("one by one"), "{said}");
}

#[tokio::test]
async fn r_013_what_a_page_has_beyond_fifty_is_said_also_of_a_beginning() {
    let server = MockServer::builder().start().await;
    let yaml = yaml(&server).replace("max_pages: 2", "max_pages: 2, first_only: true");
    let world = world_of(&server, &yaml).await;
    let all: Vec<Value> = (0..60).map(|n| json!({ "id": format!("m{n}") })).collect();
    lists(&server, None, json!({ "messages": all, "next": "n" })).await;
    let mails = Mock::given(wiremock::matchers::path_regex("^/messages/m"));
    mails.respond_with(mail("m", "")).mount(&server).await;
    let found = search(&world).await.unwrap();
    assert_eq!(found["count"], 50);
    assert!(found["warnings"].to_string().contains("`max_records` is 50"), "{}", found["warnings"]);
}

#[tokio::test]
async fn r_013_one_that_is_gone_makes_no_room_for_one_that_was_not_read() {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    let all: Vec<Value> = (0..51).map(|n| json!({ "id": format!("m{n}") })).collect();
    lists(&server, None, json!({ "messages": all })).await;
    holds(&server, "m3", ResponseTemplate::new(404)).await;
    Mock::given(wiremock::matchers::path_regex("^/messages/m"))
        .respond_with(mail("m", ""))
        .mount(&server)
        .await;
    let found = search(&world).await.unwrap();
    assert_eq!((&found["count"], &found["has_more"]), (&json!(49), &json!(true)));
    let results = found["results"].as_array().unwrap();
    assert!(results.iter().all(|mail| mail["from"] == "m@example.org"), "{results:#?}");
    assert!(found["warnings"].to_string().contains("`max_records` is 50"), "{}", found["warnings"]);
}

#[tokio::test]
async fn r_012_a_mail_is_sent_as_it_was_signed() {
    let server = MockServer::builder().start().await;
    let world = world(&server).await;
    Mock::given(method("POST"))
        .and(path("/send"))
        .and(header("authorization", "Bearer t0ken-one"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "id": "m1" })))
        .expect(1)
        .mount(&server)
        .await;
    let inputs =
        json!({ "to": ["Maria <maria@example.org>"], "text": "Liebe Maria,\n\nbis bald\nAna" });
    let call = call_of("mailbox", "send", inputs);
    run_with(&world, Mode::Write, LOCAL, &call).await.unwrap();
    let sent = server.received_requests().await.unwrap();
    let sent = sent.iter().find(|one| one.url.path() == "/send").unwrap();
    let media = sent.headers["content-type"].to_str().unwrap();
    let boundary = media.strip_prefix("multipart/related; boundary=").unwrap();
    let body = String::from_utf8(sent.body.clone()).unwrap();
    let expect = format!(
        "--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{{\"thread\":\"t\"}}\r\n--{boundary}\r\n\
         Content-Type: message/rfc822\r\n\r\nTo: Maria <maria@example.org>\r\nSubject: =?utf-8?b?R3LDvMOfZQ==?=\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
         Liebe Maria,\r\n\r\nbis bald\r\nAna\r\n\r\n--{boundary}--\r\n"
    );
    assert_eq!(body, expect);
}

#[tokio::test]
async fn r_012_what_is_no_mail_is_refused_before_anybody_is_asked() {
    let server = MockServer::builder().start().await;
    let world = Arc::new(World::new(&yaml(&server)));
    for to in ["maria", "a@example.org\r\nBcc: b@example.org"] {
        let call = call_of("mailbox", "send", json!({ "to": [to], "text": "Hi" }));
        let refused = described(&world, &call).await.unwrap_err();
        assert_eq!(refused.code, "CONNECTOR_ARGUMENT", "{refused}");
        assert!(refused.message.contains("not one mail address"), "{refused}");
    }
    let call = call_of("mailbox", "send", json!({ "to": ["a@example.org"], "text": "Hi" }));
    let shown = described(&world, &call).await.unwrap();
    let Effect::Http(http) = shown else { panic!("a request") };
    let headers = json!({ "content-type": "text/plain" });
    let bound = World::new(&yaml(&server)).bind(|binding| {
        binding.config_overrides.headers = serde_json::from_value(headers).unwrap();
    });
    let refused = described(&Arc::new(bound), &call).await.unwrap_err();
    assert!(refused.message.contains("a media type of its own"), "{refused}");
    assert!(http.body.unwrap().media.starts_with("multipart/related"));
}
