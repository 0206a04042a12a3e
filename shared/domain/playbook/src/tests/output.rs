//! `output` of a playbook.

use serde_json::json;

use super::links::{READ, USE, tool};
use super::{around, problems, valid};
use crate::model::{OnError, StepKind};

fn text(output: &str) -> String {
    format!("{}output: {output}\n", around(&format!("{READ}{USE}")))
}

#[track_caller]
fn check(output: &str, expect: &[&str]) {
    assert_eq!(problems(&text(output)), expect, "{output}");
}

#[test]
fn f_136_what_nobody_would_see_or_do_is_refused() {
    check("{auto_enrich_graph: true}", &[]);
    check(
        "{format: csv, template: hi}",
        &[
            "P026 hi: a template is Markdown, and `format` is another | use `sections`, or `format: markdown`",
        ],
    );
    let sections = "[{title: A, source: used.data}, {title: B, source: used.count}]";
    check(
        &format!("{{template: hi, sections: {sections}}}"),
        &[
            "P026 hi: the template has no `{sections}`, so nobody would see the sections | write `{sections}` where they shall be, or leave them out",
        ],
    );
    check(
        &format!("{{format: csv, sections: {sections}}}"),
        &[
            "P026 [: CSV is one table, and there are several sections | keep one section, or use `format: structured`",
        ],
    );
    let one = "[{title: A, source: used.data, format: list}]";
    check(
        &format!("{{format: csv, sections: {one}}}"),
        &[
            "P114 list: CSV is data, and has no `format` of a section | leave it out, or write `table`",
        ],
    );
    check(&format!("{{sections: {one}}}"), &[]);
    let optional = "{title: A, source: used.data, optional: true}";
    let idle = "P114 used.data: `optional` has no effect: `used` has no condition that could leave it out | leave `optional` out, or give the step a condition";
    check(
        &format!("{{sections: [{optional}]}}"),
        &[
            "P026 [: all sections are optional, so that there may be none to show | leave `optional` out",
            idle,
        ],
    );
    let beside = format!("[{{title: B, source: used.count}}, {optional}]");
    check(&format!("{{sections: {beside}}}"), &[idle]);
    let conditional =
        USE.replacen("name: used,", "name: used, condition: \"{rows.results} is defined\",", 1);
    assert_ne!(conditional, USE);
    let given =
        format!("{}output: {{sections: {beside}}}\n", around(&format!("{READ}{conditional}")));
    assert_eq!(problems(&given), [""; 0]);
    check(
        &format!("{{save_to: both, sections: {beside}}}"),
        &[
            idle,
            "P026 true: the first list of records is kept as a table, and without this section another one would be | leave `optional` out",
        ],
    );
    check(
        "{sections: [{title: A, source: used.data, format: tabel}]}",
        &[
            "P005 tabel: `format` must be one of `auto`, `text`, `list`, `table`, `facts`, `json`, found `tabel` | did you mean `table`?",
        ],
    );
}

#[test]
fn f_136_k_44_a_summary_is_a_step_of_a_model_about_the_sections() {
    let sections = "sections: [{title: People, source: used.data}, {title: People, source: used.count, format: text}]";
    let playbook =
        valid(&text(&format!("{{summary_prompt: \"Name the largest {{{{sum}}}}.\", {sections}}}")));
    let step = playbook.steps.last().unwrap();
    assert_eq!((step.name.as_str(), step.on_error), ("summary", OnError::Skip));
    let StepKind::Action { action, inputs, params, output_schema, llm, .. } = &step.kind else {
        panic!()
    };
    assert_eq!((action.as_str(), *llm), ("synthesize_report", true));
    let data = json!({ "People": "{used.data}", "People 2": "{used.count}" });
    assert_eq!(
        (&inputs["data"], &params["instructions"]),
        (&data, &json!("Name the largest {{sum}}."))
    );
    assert_eq!(output_schema.as_ref().unwrap().fields.len(), 1);
    let output = playbook.output.unwrap();
    let titles: Vec<&str> = output.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["Summary", "People", "People"]);
    assert_eq!(output.sections[0].source, "summary.summary");
    let one = "sections: [{title: People, source: used.data}]";
    check(
        "{summary_prompt: Sum up.}",
        &[
            "P013 Sum up.: `summary_prompt` has nothing to sum up: there are no `sections` | write `sections: [{title: …, source: step.results}]`",
        ],
    );
    check(
        &format!("{{summary_prompt: \"Sum up {{who}}.\", {one}}}"),
        &[
            "P026 \"Sum up {who}.\": `summary_prompt` holds a reference: a model would take what it leads to as its task | what is summed up is what the sections show",
        ],
    );
    check(
        &format!("{{summary_prompt: 'Sum up {{.', {one}}}"),
        &["P020 {: a `{` without its `}` | write `{{` for a brace"],
    );
    check(
        &format!("{{format: csv, summary_prompt: Sum up., {one}}}"),
        &[
            "P026 Sum up.: CSV is one table, and has no place for a summary | use `format: markdown`, `json` or `structured`",
        ],
    );
    check(
        "{summary_prompt: Sum up., sections: [{title: summary, source: used.data}]}",
        &[
            "P009 Sum up.: `summary_prompt` adds a section `Summary`, and one has that title | give the section another title",
        ],
    );
    let twice = format!(
        "{}output: {{summary_prompt: Sum up., {one}}}\n",
        around(&format!("{READ}{USE}{}", tool("summary", "action: query_journal")))
    );
    let told = |text: &str| -> Vec<String> {
        problems(text).into_iter().filter(|one| one.starts_with("P009")).collect()
    };
    let taken = |what: &str| {
        format!(
            "P009 Sum up.: `summary_prompt` adds a step `summary`, and {what} has that name | give {what} another name"
        )
    };
    assert_eq!(told(&twice), [taken("a step")]);
    let each = tool("each", "action: query_journal").replace(
        "action: query_journal",
        "action: query_journal, for_each: {in: used.data, as: summary}",
    );
    let item = format!(
        "{}output: {{summary_prompt: Sum up., {one}}}\n",
        around(&format!("{READ}{USE}{each}"))
    );
    assert_eq!(told(&item), [taken("an item of `for_each`")]);
    let keyed = twice.replace("name: summary", "name: found, output_key: summary");
    assert_eq!(told(&keyed), [taken("a result")]);
}

#[test]
fn f_136_a_template_says_where_the_sections_are() {
    let sections = "[{title: A, source: used.data, format: table}]";
    let playbook = valid(&text(&format!(
        "{{template: \"{{used.count}}: {{sections}}\", sections: {sections}}}"
    )));
    let output = playbook.output.unwrap();
    assert_eq!(output.template.as_deref(), Some("{used.count}: {sections}"));
    assert_eq!(output.sections[0].format.as_deref(), Some("table"));
}
