//! YAML in the documents: a whole document, or a part of one. The words behind the fence say of what a part is one: a type of
//! connector (its `connection`, or the keys of an endpoint), `step`, or `approval`.

use countersign_connector::{endpoint_contract, parse, parse_template};
use countersign_playbook::{Bindings, CompileContext, PlaybookSource, compile, render};
use countersign_profile::Template;
use countersign_registry::Registry;

use crate::blocks::{Block, root};

pub(crate) fn check(block: &Block) -> Option<Result<(), String>> {
    if block.language != "yaml" {
        return None;
    }
    let text = &block.text;
    // `countersign-monitor` and `countersign-trigger` have tests of their own for these.
    if matches!(block.about.as_str(), "monitor" | "trigger") {
        return None;
    }
    Some(match block.about.as_str() {
        "" => whole(text),
        "step" => playbook(&steps(text)),
        "approval" => playbook(&gate(text)),
        kind => part(kind, text).and_then(|text| connector(&text)),
    })
}

fn whole(text: &str) -> Result<(), String> {
    own_name(text)?;
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    match (has("steps:"), has("endpoints:"), has("handle:")) {
        (true, _, _) => playbook(text),
        (_, true, _) => connector(text),
        (_, _, true) => Template::from_yaml(text).map(drop).map_err(|error| error.to_string()),
        _ => Err("neither a playbook nor a connector nor a profile".to_owned()),
    }
}

/// Whoever follows an example stores it beside what is shipped, whose names are taken.
pub(crate) fn own_name(text: &str) -> Result<(), String> {
    for (key, folders) in [("id: ", &["playbooks", "connectors"][..]), ("handle: ", &["profiles"])]
    {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        let name = line.and_then(|line| line.split_whitespace().next()).unwrap_or_default();
        let file = |folder: &&str| root().join(format!("library/{folder}/{name}.yaml"));
        if let Some(folder) =
            folders.iter().find(|folder| !name.is_empty() && file(folder).exists())
        {
            return Err(format!("`{name}` is the name of one of library/{folder}: choose another"));
        }
    }
    Ok(())
}

/// Without a remark, but for the one that no profile is known here. Connectors that are shipped are known.
fn playbook(text: &str) -> Result<(), String> {
    let registry = Registry::builtin();
    let bindings = shipped(text);
    let world = CompileContext::of(&registry);
    let world = bindings.iter().fold(world, CompileContext::with);
    let source = PlaybookSource::new("example.yaml", text);
    let mut compiled = compile(&source, &world);
    compiled.diagnostics.retain(|remark| remark.code.as_str() != "P105");
    let shown = render::text(&source, &compiled.diagnostics, false);
    if compiled.diagnostics.is_empty() { Ok(()) } else { Err(shown) }
}

/// What an agent with the required connectors can call, when all of them are shipped.
fn shipped(playbook: &str) -> Option<Bindings> {
    let line = playbook.lines().find_map(|line| line.strip_prefix("required_connectors: ["))?;
    let mut bindings = Bindings::none();
    for id in line.trim_end_matches(']').split(", ") {
        let file = root().join(format!("library/connectors/{id}.yaml"));
        let connector = parse_template(&std::fs::read_to_string(file).ok()?).definition?;
        let contract = |name: &String| Some((name.clone(), endpoint_contract(&connector, name)?));
        bindings.bind(id, connector.endpoints.keys().filter_map(contract));
    }
    Some(bindings)
}

fn connector(text: &str) -> Result<(), String> {
    let parsed = parse(text);
    let said: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    if said.is_empty() { Ok(()) } else { Err(format!("{}\n{text}", said.join("\n"))) }
}

/// A connector of a type around a part of it.
fn part(kind: &str, text: &str) -> Result<String, String> {
    let connection = match kind {
        "file_parser" => "{ source: upload }",
        "rest_api" | "web_scraper" => "{ base_url: 'https://api.example.org' }",
        "graphql" => "{ endpoint: 'https://api.example.org/graphql' }",
        "database" => "{ driver: postgresql, auth: { type: connection_string } }",
        "rss_feed" => "{ feeds: [{ name: news, url: 'https://agency.example.gov/news.rss' }] }",
        _ => return Err(format!("`{kind}` is no type of a connector")),
    };
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    let mut made = format!(
        "id: example\nname: Example\ndescription: An example.\ntype: {kind}\nversion: 1.0.0\n"
    );
    if !has("connection:") {
        made += &format!("connection: {connection}\n");
    }
    if has("connection:") || has("endpoints:") {
        made += text;
        if !has("endpoints:") {
            made += "endpoints:\n  list: { description: Lists., path: / }\n";
        }
    } else {
        made += "endpoints:\n  list:\n    description: Lists.\n";
        made.extend(text.lines().map(|line| format!("    {line}\n")));
    }
    Ok(made)
}

const HEAD: &str = "id: example\nname: Example\ndescription: An example.\nexecution_mode: deterministic\ninputs:\n  - {name: matches, type: list, required: true}\nsteps:\n";

fn steps(text: &str) -> String {
    HEAD.to_owned() + text
}

fn gate(text: &str) -> String {
    // A gate shows records whose fields are those of the example.
    let head = HEAD.replace(
        "steps:\n",
        "steps:\n  - {name: rows, step_type: tool, action: transform_data, inputs: {data: \"{matches}\"}}\n",
    );
    head + "  - name: ask\n    step_type: approval\n    prompt: \"Send them?\"\n    preview_from: rows.data\n"
        + text
}
