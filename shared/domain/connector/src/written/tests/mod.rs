//! What is read from a connector, and where everything that is wrong is reported.

use countersign_document::Severity;
use countersign_registry::DataType;

use crate::contract::endpoint_contract;
use crate::model::{Connection, Operation, Pagination, RateLimit};
use crate::parse;

const FILING: &str = include_str!("../../../../../../library/connectors/irs-990-xml.yaml");
const PROPUBLICA: &str =
    include_str!("../../../../../../library/connectors/propublica-nonprofit.yaml");

const MINIMAL: &str = "\
id: small-api
name: Small
type: rest_api
version: 1.0.0
connection:
  base_url: https://api.example.com/v1
endpoints:
  search:
    description: searches
    path: /search
";

/// Checks the errors of a text against `line:column rule`.
fn check(text: &str, expect: &[&str]) {
    let parsed = parse(text);
    let errors: Vec<String> = parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| {
            format!("{}:{} {}", diagnostic.place().0, diagnostic.place().1, diagnostic.code)
        })
        .collect();
    assert_eq!(errors, expect, "{:?}", parsed.diagnostics);
    assert_eq!(parsed.definition.is_some(), expect.is_empty());
}

#[test]
fn f_124_the_library_is_without_a_problem() {
    for text in [FILING, PROPUBLICA] {
        assert_eq!(parse(text).diagnostics, [], "a shipped connector");
    }
}

#[test]
fn f_088_the_smallest_connector_is_whole() {
    check(MINIMAL, &[]);
    let definition = parse(MINIMAL).definition.unwrap();
    assert_eq!(definition.kind(), "rest_api");
    let Connection::RestApi(rest) = &definition.connection else { panic!("a rest_api") };
    assert_eq!(rest.timeout_seconds, 30, "F-096");
}

#[test]
fn f_087_types_that_are_none_are_located() {
    check(&MINIMAL.replace("rest_api", "rest_ap"), &["3:7 unknown_type"]);
    assert_eq!(
        parse(&MINIMAL.replace("rest_api", "rest_ap")).diagnostics[0].hint.as_deref(),
        Some("did you mean `rest_api`?")
    );
}

#[test]
fn f_089_every_problem_is_reported_at_once_with_its_place() {
    let text = "\
id: Small API
name: Small
type: rest_api
version: '1.0'
connection:
  base_url: http://api.example.com
  timeout_secs: 5
endpoints:
  search:
    description: searches
    method: FETCH
    path: /items/{item}
    parameters:
      - { name: itm, type: string }
      - { name: size, type: int }
    response_mapping:
      fields: { name: 'a..b' }
";
    check(
        text,
        &[
            "1:5 id",
            "4:10 version",
            "6:13 base_url",
            "7:3 unknown_key",
            "11:13 method",
            "12:11 placeholder",
            "15:29 type",
            "17:23 path",
        ],
    );
    let hints: Vec<_> =
        parse(text).diagnostics.into_iter().filter_map(|diagnostic| diagnostic.hint).collect();
    assert!(hints.contains(&"did you mean `timeout_seconds`?".to_owned()), "{hints:?}");
    assert!(hints.contains(&"did you mean `itm`?".to_owned()), "{hints:?}");
}

#[test]
fn f_089_a_misspelt_word_hides_nothing() {
    let broken = MINIMAL
        .replace("rest_api", "rest_ap")
        .replace("version: 1.0.0", "version: '1'")
        .replace("https", "ftp")
        .replace("path: /search", "path: search");
    check(&broken, &["3:7 unknown_type", "4:10 version", "6:13 base_url", "10:11 path"]);
    let unlike = broken.replace("rest_ap", "moon");
    check(&unlike, &["3:7 unknown_type", "4:10 version"]);
    let missing = broken.replace("type: rest_ap\n", "");
    check(&missing, &["1:1 missing", "3:10 version"]);
}

#[test]
fn f_089_a_key_that_means_nothing_hides_nothing() {
    let keyed = MINIMAL
        .replace("endpoints:", "  auth: { type: api_key, heder: x-key }\n  timeout: 5\nendpoints:");
    check(&keyed, &["7:9 auth", "7:26 unknown_key", "8:3 unknown_key"]);
    let form = MINIMAL
        .replace("connection:\n", "auth_fields: [{ name: token }]\nconnection:\n  speed: 1\n");
    check(&form, &["5:23 auth_fields", "7:3 unknown_key"]);
    let twice = MINIMAL.replace("name: Small\n", "name: Small\nname: Other\n");
    check(&twice, &["3:1 duplicate"]);
}

#[test]
fn what_is_not_yaml_is_one_problem_with_a_place() {
    for text in ["id: [", "", "- a", "id: a: b"] {
        let parsed = parse(text);
        assert!(parsed.definition.is_none());
        assert_eq!(parsed.diagnostics.len(), 1, "{text:?}: {:#?}", parsed.diagnostics);
        assert!(parsed.diagnostics[0].place().0 >= 1, "{text:?}");
    }
}

#[test]
fn k_38_base_urls_are_https_without_a_user() {
    for (url, fine) in [
        ("https://api.example.com", true),
        ("http://127.0.0.1:8080", true),
        ("http://localhost:8080/v1", true),
        ("http://api.example.com", false),
        ("ftp://api.example.com", false),
        ("https://user:pass@api.example.com", false),
        ("https://api.example.com/?a=b", false),
        ("not an address", false),
    ] {
        let text = MINIMAL.replace("https://api.example.com/v1", url);
        assert_eq!(parse(&text).definition.is_some(), fine, "{url}");
    }
}

#[test]
fn k_37_env_vars_are_ignored_and_said() {
    let text = MINIMAL.replace(
        "endpoints:",
        "  auth: { type: api_key, key_param: key, env_var: PLATFORM_SECRET }\nendpoints:",
    );
    let parsed = parse(&text);
    assert_eq!(parsed.definition.unwrap().credential_fields(), ["api_key"]);
    assert!(parsed.diagnostics.iter().any(|diagnostic| diagnostic.code == "env_var"));
}

#[test]
fn f_099_paths_beyond_the_subset_are_refused() {
    let broken = FILING.replace(
        "{ field: title, xpath: TitleTxt | Title, type: string }",
        "{ field: title, xpath: 'Title[1]', type: text }",
    );
    let parsed = parse(&broken);
    let rules: Vec<_> =
        parsed.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
    assert_eq!(rules, ["xpath", "type"], "{:#?}", parsed.diagnostics);
}

#[test]
fn f_092_the_schema_is_inferred_from_the_mapping() {
    let definition = parse(FILING).definition.unwrap();
    let officers = endpoint_contract(&definition, "parse_990_officers").unwrap();
    assert!(!officers.irreversible);
    assert_eq!(
        officers.inputs.iter().map(|slot| slot.name.as_str()).collect::<Vec<_>>(),
        ["source"]
    );
    let outputs: Vec<_> = officers.outputs.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(
        outputs,
        [
            "results",
            "count",
            "has_more",
            "files_read",
            "files_failed",
            "errors",
            "warnings",
            "warning_count",
            "file_notes"
        ]
    );
    let DataType::Array(item) = &officers.outputs[0].data_type else { panic!("a list") };
    let DataType::Record(fields) = &**item else { panic!("records") };
    let type_of = |name: &str| {
        fields.iter().find(|field| field.name == name).map(|field| field.data_type.clone())
    };
    assert_eq!(type_of("name"), Some(DataType::String));
    assert_eq!(type_of("compensation"), Some(DataType::Number));
    assert_eq!(type_of("organization_name"), Some(DataType::String));
    assert_eq!(type_of("_source"), Some(DataType::String));
    assert!(endpoint_contract(&definition, "no_such").is_none());
}

#[test]
fn f_091_a_declared_schema_may_only_promise_what_is_mapped() {
    let text = format!(
        "{MINIMAL}    response_mapping: {{ fields: {{ title: name }} }}\n    output_schema:\n      fields: [{{ name: titel, type: string }}]\n"
    );
    check(&text, &["13:16 output_schema"]);
}

#[test]
fn f_090_extraction_rules_name_fields_of_the_record() {
    let text = format!(
        "{MINIMAL}    response_mapping:\n      fields: {{ donor: name }}\n      entity_extraction: [{{ field: doner, entity_type: PERSON }}]\n"
    );
    check(&text, &["13:36 entity_extraction"]);
}

#[test]
fn f_091_expected_fields_are_fields_of_the_record_named_once() {
    let mapped =
        format!("{MINIMAL}    response_mapping: {{ fields: {{ amount: sum, name: name }} }}\n");
    check(&format!("{mapped}    expected_fields: [amount, name]\n"), &[]);
    check(&format!("{mapped}    expected_fields: [amont]\n"), &["12:23 expected_fields"]);
    check(&format!("{mapped}    expected_fields: [name, name]\n"), &["12:29 duplicate"]);
    check(&format!("{MINIMAL}    expected_fields: [anything]\n"), &[]);
}

#[test]
fn k_25_anything_but_reading_is_irreversible() {
    for (method, extra, irreversible) in [
        ("GET", "", false),
        ("HEAD", "", false),
        ("POST", "", true),
        ("POST", "    safe: true\n", false),
        ("PUT", "", true),
        ("PATCH", "", true),
        ("DELETE", "", true),
    ] {
        let text = format!("{MINIMAL}    method: {method}\n{extra}");
        let definition = parse(&text).definition.unwrap();
        assert_eq!(
            endpoint_contract(&definition, "search").unwrap().irreversible,
            irreversible,
            "{method} {extra}"
        );
    }
    let text = format!("{MINIMAL}    method: DELETE\n    safe: true\n");
    assert!(parse(&text).definition.is_none(), "only a POST can be called safe");
}

#[test]
fn k_76_pagination_has_bounds() {
    let text = format!("{MINIMAL}    pagination: {{ type: page, max_pages: 1000 }}\n");
    assert!(parse(&text).definition.is_none());
    let definition = parse(PROPUBLICA).definition.unwrap();
    let Operation::Request(rules) = &definition.endpoints["search_organizations"].operation else {
        panic!("a request")
    };
    let Pagination::Page { first_page, bounds, .. } = &rules.pagination else { panic!("pages") };
    assert_eq!((*first_page, bounds.max_pages), (0, 4));
}

#[test]
fn f_105_rates_are_read_for_every_span() {
    let text = MINIMAL.replace(
        "endpoints:",
        "  rate_limit: { requests_per_second: 1, requests_per_minute: 2, requests_per_hour: 3, requests_per_day: 4, requests_per_month: 5 }\nendpoints:",
    );
    let definition = parse(&text).definition.unwrap();
    let Connection::RestApi(rest) = definition.connection else { panic!("a rest_api") };
    let expect = RateLimit {
        requests_per_second: Some(1),
        requests_per_minute: Some(2),
        requests_per_hour: Some(3),
        requests_per_day: Some(4),
        requests_per_month: Some(5),
    };
    assert_eq!(rest.rate_limit, Some(expect));
    for (rates, at) in [("{}", "7:15 rate_limit"), ("{ requests_per_hour: 0 }", "7:36 type")] {
        let text = MINIMAL.replace("endpoints:", &format!("  rate_limit: {rates}\nendpoints:"));
        check(&text, &[at]);
    }
}

#[test]
fn headers_that_frame_or_route_cannot_be_set() {
    for header in ["Host", "Content-Length", "Cookie", "Authorization", "Bad Name"] {
        let text =
            MINIMAL.replace("endpoints:", &format!("  headers: {{ '{header}': x }}\nendpoints:"));
        assert!(parse(&text).definition.is_none(), "{header}");
    }
}

#[test]
fn the_stored_form_reads_back_the_same() {
    for text in [FILING, PROPUBLICA, MINIMAL] {
        let definition = parse(text).definition.unwrap();
        let stored = serde_json::to_string(&definition).unwrap();
        assert_eq!(
            serde_json::from_str::<crate::ConnectorDefinition>(&stored).unwrap(),
            definition
        );
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_the_parser_panic(text in "[ -~\n]{0,400}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_cut_of_a_connector_makes_the_parser_panic(cut in 0..FILING.len(), text in "[:{}\\[\\]a-z\n -]{0,12}") {
        let mut cut = cut;
        while !FILING.is_char_boundary(cut) { cut -= 1; }
        let parsed = parse(&format!("{}{text}{}", &FILING[..cut], &FILING[cut..]));
        proptest::prop_assert!(parsed.definition.is_some() || !parsed.diagnostics.is_empty());
        for problem in &parsed.diagnostics {
            for word in ["invalid type", "missing field", "unknown variant", "EOF", "deserialize", "untagged"] {
                proptest::prop_assert!(!problem.message.contains(word), "{problem}");
            }
        }
    }
}

mod corpus;
mod database;
mod feed;
mod format;
mod graphql;
mod heading;
mod refused;
mod rest;
mod schema;
mod scraper;
mod tool;
