//! `existing_tool`.

use super::*;
use crate::model::ToolId;

const SEARCH: &str = "\
id: web-search
name: Web search
type: existing_tool
version: 1.0.0
connection:
  tool: search_web
endpoints:
  search:
    description: Searches the web
    passthrough: true
    parameters:
      - { name: query, type: string, required: true }
      - { name: max_results, type: integer, default: 10 }
";

#[test]
fn f_102_a_tool_is_named_or_written_as_module_and_function() {
    for connection in [
        "tool: search_web",
        "{ tool_module: web_search, tool_function: search_web }",
        "{ tool_module: web, tool_function: search_web }",
    ] {
        let text = SEARCH.replace("\n  tool: search_web", &format!("\n  {connection}"));
        let text = text.replace("connection:\n  {", "connection: {");
        let parsed = parse(&text);
        let definition = parsed.definition.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
        let Connection::ExistingTool(tool) = &definition.connection else { panic!("a tool") };
        assert_eq!(tool.tool, ToolId::SearchWeb);
        assert_eq!(definition.credential_fields(), Vec::<&str>::new());
    }
}

#[test]
fn k_41_anything_else_is_refused_where_it_stands() {
    for name in ["os", "call_connector", "save_to_workspace", "search_web; rm", "SEARCH_WEB"] {
        check(&SEARCH.replace("tool: search_web", &format!("tool: '{name}'")), &["6:9 tool"]);
    }
    let pair = |module: &str, function: &str| {
        SEARCH.replace(
            "  tool: search_web",
            &format!("  tool_module: {module}\n  tool_function: {function}"),
        )
    };
    check(&pair("os", "system"), &["6:16 tool"]);
    check(&pair("web_search", "__import__"), &["6:16 tool"]);
    check(&SEARCH.replace("tool: search_web", "tool_module: web"), &["6:3 tool"]);
    check(
        &SEARCH.replace(
            "  tool: search_web",
            "  tool: search_web\n  tool_module: web\n  tool_function: search_web",
        ),
        &["6:3 tool"],
    );
    let parsed = parse(&SEARCH.replace("tool: search_web", "tool: web_search"));
    assert!(parsed.diagnostics[0].hint.is_some());
}

#[test]
fn f_102_a_default_is_one_that_the_tool_takes() {
    check(&SEARCH.replace("default: 10", "default: 50"), &[]);
    check(&SEARCH.replace("default: 10", "default: 51"), &["13:54 default"]);
}

#[test]
fn f_102_parameters_are_the_tools_arguments() {
    check(&SEARCH.replace("name: max_results", "name: limit"), &["9:5 parameters"]);
    check(&SEARCH.replace("type: string, required: true", "type: string"), &["9:5 parameters"]);
    let without = SEARCH.replace("      - { name: query, type: string, required: true }\n", "");
    check(&without, &["9:5 parameters"]);
}

#[test]
fn f_126_what_passes_through_has_the_tools_outputs() {
    let definition = parse(SEARCH).definition.unwrap();
    let contract = endpoint_contract(&definition, "search").unwrap();
    assert!(!contract.irreversible);
    let inputs: Vec<_> = contract.inputs.iter().map(|slot| slot.name.as_str()).collect();
    let outputs: Vec<_> = contract.outputs.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(inputs, ["query", "max_results"]);
    assert_eq!(outputs, ["results", "count", "note", "warnings", "warning_count"]);
    let mapping = "    response_mapping: { results_path: results, fields: { name: title } }\n";
    check(&format!("{SEARCH}{mapping}"), &["9:5 passthrough"]);
    let mapped = format!("{}{mapping}", SEARCH.replace("    passthrough: true\n", ""));
    let definition = parse(&mapped).definition.unwrap();
    let contract = endpoint_contract(&definition, "search").unwrap();
    let outputs: Vec<_> = contract.outputs.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(outputs, ["results", "count", "has_more", "_has_more", "warnings", "warning_count"]);
}

#[test]
fn f_102_what_a_passed_output_makes_useless_is_warned_of() {
    let more = "    response_mapping: { entity_type: web_page, entity_extraction: [{ field: title, entity_type: ORG }] }\n    output_schema: { type: object }\n";
    let parsed = parse(&format!("{SEARCH}{more}"));
    assert!(parsed.definition.is_some(), "{:?}", parsed.diagnostics);
    let told: Vec<&str> = parsed.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let expect = ["entity_type", "entity_extraction", "output_schema"].map(|key| {
        format!("`{key}` has no effect: the tool's output comes back as it is, and is not mapped")
    });
    assert_eq!(told, expect);
}
