//! `rest_api`: mapping, metadata, bodies, pages.

use super::*;
use crate::model::{Auth, BodyFormat, FormatRules, PagePlace, ValueType};

#[test]
fn f_090_alternatives_are_written_with_a_bar_or_as_a_list() {
    let text = format!(
        "{MINIMAL}    response_mapping:\n      results_path: [items, hits.hits]\n      fields: {{ name: 'a.b | c.d', city: [x, \"y['z.z']\"] }}\n"
    );
    let definition = parse(&text).definition.unwrap();
    let Operation::Request(rules) = &definition.endpoints["search"].operation else {
        panic!("a request")
    };
    assert_eq!(rules.mapping.results_path.as_ref().unwrap().as_str(), "items | hits.hits");
    assert_eq!(rules.mapping.fields["name"].as_str(), "a.b | c.d");
    assert_eq!(rules.mapping.fields["city"].as_str(), "x | y['z.z']");
    check(&text.replace("[items, hits.hits]", "[items, 'hits..hits']"), &["12:29 path"]);
    check(&text.replace("[items, hits.hits]", "[]"), &["12:21 length"]);
    check(&text.replace("[items, hits.hits]", "[items, 3]"), &["12:29 type"]);
}

#[test]
fn f_091_metadata_says_where_it_stands() {
    let schema =
        |fields: &str| format!("{MINIMAL}    output_schema: {{ metadata_fields: [{fields}] }}\n");
    let text = schema(
        "{ name: count }, { name: has_more, type: boolean }, { name: total, type: integer, path: 'meta.total | total', description: in all }",
    );
    let definition =
        parse(&text).definition.unwrap_or_else(|| panic!("{:?}", parse(&text).diagnostics));
    let contract = endpoint_contract(&definition, "search").unwrap();
    let total = contract.outputs.iter().find(|slot| slot.name == "total").unwrap();
    assert_eq!((&total.data_type, total.description.as_str()), (&DataType::Integer, "in all"));
    check(&schema("{ name: total }"), &["11:48 metadata"]);
    check(&schema("{ name: count, path: a }"), &["11:61 metadata"]);
    check(&schema("{ name: results, path: a }"), &["11:48 metadata"]);
    check(&schema("{ name: a, path: a }, { name: a, path: b }"), &["11:70 duplicate"]);
    let file = FILING.replacen(
        "    root_element",
        "    output_schema: { metadata_fields: [{ name: total, path: a }] }\n    root_element",
        1,
    );
    assert!(parse(&file).definition.is_none(), "a file has no envelope");
}

#[test]
fn f_096_forms_and_pages_in_bodies_need_a_body() {
    let post = |more: &str| format!("{MINIMAL}    method: POST\n    safe: true\n{more}");
    let definition =
        parse(&post("    body_format: form\n    pagination: { type: offset, in: body }\n"))
            .definition
            .unwrap();
    let Operation::Request(rules) = &definition.endpoints["search"].operation else {
        panic!("a request")
    };
    assert_eq!(rules.body_format, BodyFormat::Form);
    let Pagination::Offset { place, .. } = &rules.pagination else { panic!("offsets") };
    assert_eq!(*place, PagePlace::Body);
    check(&format!("{MINIMAL}    body_format: form\n"), &["11:18 body_format"]);
    check(&format!("{MINIMAL}    pagination: {{ type: page, in: body }}\n"), &["11:5 pagination"]);
    check(&post("    body_format: xml\n"), &["13:18 body_format"]);
    check(&post("    body_format: form\n    body: { a: { b: c } }\n"), &["14:16 body"]);
    check(&post("    body: [a]\n    pagination: { type: page, in: body }\n"), &["13:11 body"]);
    check(&post("    pagination: { type: page, in: header }\n"), &["13:35 pagination"]);
    check(&post("    pagination: { type: cursor }\n"), &["13:17 missing"]);
}

#[test]
fn f_096_a_call_can_go_on_where_one_ended() {
    let paged = format!("{MINIMAL}    pagination: {{ type: page }}\n");
    let contract = endpoint_contract(&parse(&paged).definition.unwrap(), "search").unwrap();
    assert!(contract.inputs.iter().any(|slot| slot.name == "_cursor" && !slot.required));
    let single = endpoint_contract(&parse(MINIMAL).definition.unwrap(), "search").unwrap();
    assert!(single.inputs.is_empty());
    check(&format!("{MINIMAL}    parameters: [{{ name: _cursor }}]\n"), &["11:26 name"]);
}

#[test]
fn f_103_a_token_may_have_a_scheme_of_its_own() {
    let text = |auth: &str| MINIMAL.replace("endpoints:", &format!("  auth: {auth}\nendpoints:"));
    let auth = |kind: &str| match parse(&text(kind)).definition.unwrap().connection {
        Connection::RestApi(rest) => rest.auth,
        other => panic!("{other:?}"),
    };
    let token = Auth::TokenScheme { scheme: "Token".to_owned() };
    assert_eq!(token.credential_fields(), ["token"]);
    assert_eq!(auth("{ type: bearer_token, scheme: Token }"), token);
    assert_eq!(auth("{ type: bearer_token, scheme: bearer }"), Auth::BearerToken);
    check(&text("{ type: bearer_token, scheme: 'a b' }"), &["7:39 auth"]);
    check(&text("{ type: basic, scheme: x }"), &["7:24 unknown_key"]);
}

#[test]
fn k_42_a_place_inside_a_query_is_a_parameter_that_cannot_be_left_out() {
    let text = |query: &str| {
        let parameters = "parameters: [{ name: id, required: true }, { name: q }]";
        format!("{MINIMAL}    {parameters}\n    query: {{ query: '{query}' }}\n")
    };
    check(&text("{ wd:{id} ?p ?o }"), &[]);
    check(&text("{ wd:{ib} ?p ?o }"), &["12:21 placeholder"]);
    check(&text("{ wd:{q} ?p ?o }"), &["12:21 placeholder"]);
}

#[test]
fn f_096_a_placeholder_without_quotes_is_not_sent_as_a_mapping() {
    let text = |body: &str| {
        let parameters = "parameters: [{ name: grant, required: true }]";
        format!("{MINIMAL}    method: POST\n    {parameters}\n    body: {body}\n")
    };
    check(&text("{ grant: '{grant}' }"), &[]);
    check(&text("{ grant: {grant} }"), &["13:20 placeholder"]);
    check(&text("{ all: [{ of: {grnat} }] }"), &["13:25 placeholder"]);
    check(&text("{grant}"), &["13:11 placeholder"]);
    check(&text("{ grant: { grant: null } }"), &[]);
}

#[test]
fn f_096_a_body_that_no_request_has_is_reported_at_the_body() {
    check(&format!("{MINIMAL}    body: {{ a: b }}\n"), &["11:5 body"]);
    check(&format!("{MINIMAL}    method: HEAD\n    body: {{ a: b }}\n"), &["12:5 body"]);
    check(&format!("{MINIMAL}    body_format: form\n"), &["11:18 body_format"]);
}

#[test]
fn f_091_a_default_is_of_its_type() {
    let text = |parameter: &str| format!("{MINIMAL}    parameters: [{{ name: q, {parameter} }}]\n");
    for fits in ["2026-01-31", "2026-01-31T12:00:00Z"] {
        check(&text(&format!("type: date, default: {fits}")), &[]);
    }
    for wrong in ["yesterday", "2026-02-30", "31.01.2026", "''", "2026"] {
        check(&text(&format!("type: date, default: {wrong}")), &["11:50 default"]);
    }
    check(&text("type: 'date[]', default: [2026-01-31, x]"), &["11:54 default"]);
    check(&text("type: integer, default: '5'"), &["11:53 default"]);
}

#[test]
fn k_38_an_address_of_a_private_network_is_warned_of() {
    let warned = |text: &str| -> Vec<String> {
        let parsed = parse(text);
        assert!(parsed.definition.is_some(), "{:?}", parsed.diagnostics);
        parsed.diagnostics.iter().map(|one| format!("{}: {}", one.path(), one.code)).collect()
    };
    let at = |host: &str| MINIMAL.replace("api.example.com", host);
    for host in ["10.0.0.1", "192.168.1.1:8443", "169.254.169.254", "100.64.0.1", "[fd00::1]"] {
        assert_eq!(warned(&at(host)), ["yaml:6:13: base_url"], "{host}");
    }
    for host in ["127.0.0.1", "[::1]", "93.184.216.34", "ten.example"] {
        assert_eq!(warned(&at(host)), [""; 0], "{host}");
    }
    let auth = "  auth: { type: oauth2_client_credentials, token_url: 'https://10.0.0.1/t' }\n";
    assert_eq!(warned(&connected(auth)), ["yaml:7:55: token_url"]);
}

#[test]
fn f_090_the_layout_is_rows_or_columns() {
    let text = |layout: &str| format!("{MINIMAL}    response_mapping: {{ layout: {layout} }}\n");
    check(&text("columns"), &[]);
    check(&text("colums"), &["11:33 layout"]);
}

/// MINIMAL with more keys of its connection.
fn connected(more: &str) -> String {
    MINIMAL.replace("endpoints:", &format!("{more}endpoints:"))
}

#[test]
fn k_49_a_connector_names_the_header_of_the_key() {
    let read = |more: &str| parse(&connected(more)).definition.unwrap().connection;
    let given = read("  idempotency: { header: X-Request-Id, hours: 24 }\n");
    assert_eq!(given.key_header(), "x-request-id");
    assert_eq!(given.idempotency().unwrap().hours, Some(24));
    assert_eq!(read("  idempotency: { hours: 24 }\n").key_header(), "idempotency-key");
    assert_eq!(read("").key_header(), "idempotency-key");
}

#[test]
fn k_49_the_header_of_the_key_is_free() {
    let auth = "  auth: { type: api_key, header: x-key }\n";
    let key = |header: &str| connected(&format!("{auth}  idempotency: {{ header: {header} }}\n"));
    check(&key("X-Key"), &["8:26 idempotency"]);
    check(&key("Accept"), &["8:26 idempotency"]);
    check(&key("authorization"), &["8:26 header"]);
    check(&connected("  idempotency: {}\n"), &["7:16 idempotency"]);
    check(&connected("  headers: { Idempotency-Key: a }\n"), &["7:14 header"]);
    check(
        &format!("{}    headers: {{ X-Id: a }}\n", connected("  idempotency: { header: x-id }\n")),
        &["12:16 header"],
    );
}

#[test]
fn what_another_value_would_replace_is_refused() {
    let auth = "  auth: { type: api_key, header: x-key }\n";
    check(&connected(&format!("{auth}  headers: {{ X-KEY: a }}\n")), &["8:14 header"]);
    check(&connected("  headers: { X-A: a, x-a: b }\n"), &["7:22 duplicate"]);
    check(&connected("  headers: { x-a: ' a' }\n"), &["7:19 header"]);
    check(&connected("  auth: { type: api_key, header: Content-Type }\n"), &["7:34 header"]);
}

#[test]
fn what_does_nothing_in_a_request_is_warned_of() {
    let told = |endpoint: &str| -> Vec<String> {
        let text = MINIMAL.split("endpoints:").next().unwrap();
        let parsed = parse(&format!(
            "{text}endpoints:\n  post: {{ description: posts, method: post, path: /, {endpoint} }}\n"
        ));
        assert!(parsed.definition.is_some(), "{:?}", parsed.diagnostics);
        parsed.diagnostics.into_iter().map(|one| one.message).collect()
    };
    let who = "parameters: [{ name: who, required: true }]";
    assert_eq!(told(&format!("body: {{ to: '{{who}}' }}, {who}")), [""; 0]);
    assert_eq!(
        told(&format!("body: {{ to: '{{who}}', text: 'Dear {{who}}, {{other}}' }}, {who}")),
        ["`{who}` is sent as it is written here"]
    );
    // Without a body the arguments are it.
    assert_eq!(told(&format!("body_format: form, {who}")), [""; 0]);
    assert_eq!(
        told("body: { to: '{who}' }, parameters: [{ name: who, required: true, default: you }]"),
        ["`required` has no effect: without `who`, its default holds"]
    );
}

#[test]
fn a_type_that_the_mapping_of_a_file_gives_is_the_one() {
    let text = "\
id: grants
name: Grants
type: file_parser
version: 1.0.0
connection: { source: upload, accepted_formats: [csv] }
endpoints:
  table:
    description: reads tables
    parser: csv
    fields: [{ field: name, column: Name }, { field: amount, column: Amount, type: number }]
    output_schema: { fields: [{ name: name, type: date }, { name: amount, type: date }] }
    parameters: [{ name: source, default: folders/grants }]
";
    let parsed = parse(text);
    let told: Vec<&str> = parsed.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "`type` has no effect: `amount` is read as number, as the mapping says",
            "`default` has no effect: every call names its files in `source`"
        ]
    );
    let definition = parsed.definition.unwrap();
    let Operation::Parse(rules) = &definition.endpoints["table"].operation else {
        panic!("a file")
    };
    let FormatRules::Csv(rules) = rules.as_ref() else { panic!("separated values") };
    let types: Vec<_> = rules.table.fields.iter().map(|rule| rule.value_type).collect();
    assert_eq!(types, [Some(ValueType::Date), Some(ValueType::Number)]);
    let inputs = endpoint_contract(&definition, "table").unwrap().inputs;
    let source: Vec<_> = inputs.iter().filter(|slot| slot.name == "source").collect();
    assert!(matches!(source.as_slice(), [slot] if slot.required), "{source:?}");
}

const MAIL: &str = "    method: POST\n    parameters: [{ name: to, type: 'string[]', required: true }, { name: text, required: true }]\n    body_format: mail\n    body: { message: { to: '{to}', subject: Hello, text: '{text}' }, metadata: { threadId: t } }\n";

#[test]
fn r_011_a_mail_is_written_whole_and_signed() {
    let text = format!("{MINIMAL}{MAIL}");
    let definition =
        parse(&text).definition.unwrap_or_else(|| panic!("{:?}", parse(&text).diagnostics));
    let Operation::Request(rules) = &definition.endpoints["search"].operation else {
        panic!("a request")
    };
    assert_eq!(rules.body_format, BodyFormat::Mail);
    assert!(endpoint_contract(&definition, "search").unwrap().irreversible);
    for (from, to, found) in [
        ("subject: Hello, ", "", "14:22 body"),
        ("text: '{text}' }", "text: '{text}', bbc: '{to}' }", "14:68 body"),
        (", metadata: { threadId: t }", ", metadata: t", "14:80 body"),
        (", metadata: {", ", thread: {", "14:70 body"),
        ("message: {", "massage: {", "14:11 body"),
        ("    body_format: mail", "    safe: true\n    body_format: mail", "13:11 safe"),
        (
            "    body_format: mail",
            "    headers: { Content-Type: text/plain }\n    body_format: mail",
            "13:16 header",
        ),
        ("to: '{to}'", "to: {to}", "14:28 placeholder"),
        ("to: '{to}'", "to: {to: null}", "14:28 body"),
        ("subject: Hello", "subject: ''", "14:45 body"),
        ("    method: POST\n", "", "12:18 body_format"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        check(&wrong, &[found]);
    }
    let said = parse(&text.replace(", text: '{text}'", ", text: Hi")).diagnostics;
    assert_eq!(said[0].message, "`text` stands nowhere in the mail, and goes into the query");
    let (head, body) = text.split_once("    body: {").unwrap();
    assert!(!body.is_empty());
    check(head, &["13:18 body"]);
}

#[test]
fn r_013_records_that_are_listed_are_read_one_by_one() {
    let details = "    details: { path: '/items/{id}', query: { format: full } }\n    response_mapping: { results_path: items, results_optional: true, fields: { name: a, text: b }, base64: [text] }\n";
    let text = format!("{MINIMAL}{details}");
    let definition =
        parse(&text).definition.unwrap_or_else(|| panic!("{:?}", parse(&text).diagnostics));
    let Operation::Request(rules) = &definition.endpoints["search"].operation else {
        panic!("a request")
    };
    assert_eq!(rules.details.as_ref().unwrap().path, "/items/{id}");
    assert_eq!(
        (rules.bounds().max_records, rules.mapping.base64.as_slice()),
        (50, &["text".to_owned()][..])
    );
    for (from, to, found) in [
        ("/items/{id}", "/items/all", "11:22 details"),
        ("format: full", "format: '{id}'", "11:54 placeholder"),
        ("base64: [text]", "base64: [b]", "12:109 base64"),
        ("base64: [text]", "base64: [text, text]", "12:115 duplicate"),
        ("    details", "    verdict: { path: ok, reason: why }\n    details", "11:14 details"),
        (
            "    details",
            "    pagination: { type: page, max_records: 51 }\n    details",
            "11:44 details",
        ),
        ("    details", "    method: POST\n    details", "12:14 details"),
        ("    details", "    method: HEAD\n    details", "12:14 details"),
        ("results_optional: true", "layout: columns", "12:54 details"),
    ] {
        let wrong = text.replacen(from, to, 1);
        assert_ne!(wrong, text, "{from}");
        check(&wrong, &[found]);
    }
    let keyed =
        text.replace("endpoints:", "  auth: { type: api_key, key_param: format }\nendpoints:");
    check(&keyed, &["12:46 query"]);
    let warned = parse(&text.replace("results_path: items, ", "")).diagnostics;
    assert_eq!(warned[0].message, "`results_optional` has no effect without `results_path`");
}
