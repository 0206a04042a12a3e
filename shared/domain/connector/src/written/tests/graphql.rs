//! `graphql`.

use super::*;
use crate::model::GraphqlEffect;

const REPOS: &str = "\
id: github-repos
name: GitHub repositories
type: graphql
version: 1.0.0
connection:
  endpoint: https://api.github.com/graphql
  auth: { type: bearer_token }
  rate_limit: { requests_per_minute: 30 }
  timeout_seconds: 15
endpoints:
  search_repos:
    description: Searches repositories
    query: |
      query($query: String!, $first: Int!, $after: String) {
        search(query: $query, type: REPOSITORY, first: $first, after: $after) {
          nodes { ... on Repository { name stars: stargazerCount owner { login } ...Words } }
          pageInfo { hasNextPage endCursor }
        }
      }
      fragment Words on Repository { description }
    variables:
      - { name: query, type: string, required: true }
      - { name: first, type: integer, default: 10 }
    pagination: { type: relay, page_info_path: search.pageInfo, max_pages: 2 }
    response_mapping:
      entity_type: repository
      results_path: data.search.nodes
      fields: { name: name, stars: stars, owner: owner.login }
      entity_extraction: [{ field: owner, entity_type: ORG }]
    output_schema:
      fields:
        - { name: name, type: string }
        - { name: stars, type: integer }
        - { name: owner, type: string }
";

#[test]
fn f_123_a_graphql_connector_is_read_whole() {
    assert_eq!(parse(REPOS).diagnostics, []);
    let definition = parse(REPOS).definition.unwrap();
    assert_eq!((definition.kind(), definition.credential_fields()), ("graphql", vec!["token"]));
    assert_eq!(definition.connection.rate_limit().unwrap().requests_per_minute, Some(30));
    let Operation::Graphql(rules) = &definition.endpoints["search_repos"].operation else {
        panic!("graphql")
    };
    assert_eq!(rules.effect, GraphqlEffect::Query);
    let pages = rules.pagination.as_ref().unwrap();
    assert_eq!(pages.page_info_path.as_str(), "data.search.pageInfo", "paths begin with data");
    let contract = endpoint_contract(&definition, "search_repos").unwrap();
    let names = |slots: &[countersign_registry::Slot]| {
        slots.iter().map(|slot| slot.name.clone()).collect::<Vec<_>>()
    };
    assert!(!contract.irreversible);
    assert_eq!(names(&contract.inputs), ["query", "first", "_cursor"], "F-093");
    let expect = [
        "results",
        "count",
        "has_more",
        "_has_more",
        "warnings",
        "warning_count",
        "_next_cursor",
        "_stale",
        "_stale_age_seconds",
    ];
    assert_eq!(names(&contract.outputs), expect);
    let stored = serde_json::to_string(&definition).unwrap();
    assert_eq!(serde_json::from_str::<crate::ConnectorDefinition>(&stored).unwrap(), definition);
}

#[test]
fn k_25_a_mutation_is_irreversible_whatever_it_is_called() {
    for (document, irreversible) in [
        ("mutation { addStar(id: 1) { id } }", true),
        ("fragment F on T { id } mutation query { addStar(id: 1) { ...F } }", true),
        ("# mutation\n      { mutation }", false),
        ("query mutation { viewer { login } }", false),
    ] {
        let text = format!(
            "{}  act:\n    description: acts\n    query: |\n      {document}\n",
            &REPOS[..REPOS.find("  search_repos").unwrap()]
        );
        let parsed = parse(&text);
        let definition = parsed.definition.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
        let contract = endpoint_contract(&definition, "act").unwrap();
        assert_eq!(contract.irreversible, irreversible, "{document}");
    }
}

#[test]
fn f_097_a_broken_document_is_told_at_its_own_line_and_column() {
    check(
        &REPOS.replace("pageInfo { hasNextPage endCursor }", "pageInfo { hasNextPage ) }"),
        &["17:34 graphql"],
    );
    let one = "    query: '{ a ( }'\n";
    let text = format!(
        "{}  act:\n    description: acts\n{one}",
        &REPOS[..REPOS.find("  search_repos").unwrap()]
    );
    check(&text, &["13:19 graphql"]);
    let folded = text.replace(one, "    query: >\n      {\n      a (\n      }\n");
    let parsed = parse(&folded);
    assert!(parsed.definition.is_none());
    assert_eq!(parsed.diagnostics[0].place().0, 14, "a folded text is told where it begins");
}

#[test]
fn f_097_the_records_may_be_named_beside_the_document() {
    let mapped = "      results_path: data.search.nodes\n";
    let own = |path: &str| {
        REPOS.replace(mapped, "").replace(
            "    response_mapping:\n",
            &format!("    results_path: {path}\n    response_mapping:\n"),
        )
    };
    let rules = |text: &str| parse(text).definition.unwrap().endpoints["search_repos"].clone();
    assert_eq!(rules(&own("search.nodes")), rules(REPOS));
    assert_eq!(rules(&own("data.search.nodes")), rules(REPOS));
    check(&own("search.nods"), &["25:19 path"]);
    check(&own("a..b"), &["25:19 path"]);
    let both =
        own("search.nodes").replace("      entity_type", &format!("{mapped}      entity_type"));
    check(&both, &["25:19 duplicate"]);
}

#[test]
fn f_097_variables_are_those_of_the_document() {
    check(
        &REPOS.replace(
            "{ name: first, type: integer, default: 10 }",
            "{ name: first, type: integer }",
        ),
        &["14:30 variable"],
    );
    check(
        &REPOS.replace(
            "{ name: first, type: integer, default: 10 }",
            "{ name: first, type: string, default: a }",
        ),
        &["14:30 variable"],
    );
    check(
        &REPOS.replace("name: first, type", "name: frist, type"),
        &["12:5 variable", "14:30 variable"],
    );
    let parsed = parse(&REPOS.replace("name: first, type", "name: frist, type"));
    assert_eq!(parsed.diagnostics[0].hint.as_deref(), Some("did you mean `first`?"));
    check(&REPOS.replace("$after: String)", "$after: String!)"), &["14:44 variable"]);
    check(&REPOS.replace("$after: String)", "$aft: String)"), &["24:48 pagination"]);
    check(
        &REPOS.replace("    variables:", "    parameters:"),
        &["14:13 variable", "14:30 variable", "21:5 unknown_key"],
    );
}

#[test]
fn f_097_paths_lead_along_the_document() {
    check(&REPOS.replace("data.search.nodes", "data.search.node"), &["27:21 path"]);
    let parsed = parse(&REPOS.replace("data.search.nodes", "data.search.node"));
    assert_eq!(parsed.diagnostics[0].hint.as_deref(), Some("did you mean `nodes`?"));
    check(&REPOS.replace("data.search.nodes", "search.nodes"), &[]);
    check(&REPOS.replace("data.search.nodes", "search.nodes[0].description"), &[]);
    check(
        &REPOS.replace("page_info_path: search.pageInfo", "page_info_path: pageInfo"),
        &["24:48 path"],
    );
}

#[test]
fn f_097_an_endpoint_is_https_and_one_operation() {
    check(&REPOS.replace("https://api.github.com", "http://api.github.com"), &["6:13 endpoint"]);
    check(
        &REPOS.replace("fragment Words on Repository { description }", "query Other { a }"),
        &["20:7 graphql"],
    );
    check(&REPOS.replace("query($query", "subscription($query"), &["14:7 graphql"]);
    check(&REPOS.replace("type: relay, ", "type: page, "), &["24:25 pagination"]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(128))]

    #[test]
    fn no_cut_of_a_document_makes_the_parser_panic(cut in 0..REPOS.len(), text in "[{}()$:!\\.\n a-z#\"é]{0,8}") {
        let parsed = parse(&format!("{}{text}{}", &REPOS[..cut], &REPOS[cut..]));
        proptest::prop_assert!(parsed.definition.is_some() || !parsed.diagnostics.is_empty());
        for diagnostic in &parsed.diagnostics {
            proptest::prop_assert!(diagnostic.place() >= (1, 1));
        }
    }
}
