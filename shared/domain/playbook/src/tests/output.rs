//! `output` of a playbook.

use super::links::{READ, USE};
use super::{around, problems, valid};

fn text(output: &str) -> String {
    format!("{}output: {output}\n", around(&format!("{READ}{USE}")))
}

#[track_caller]
fn check(output: &str, expect: &[&str]) {
    assert_eq!(problems(&text(output)), expect, "{output}");
}

#[test]
fn f_136_what_nobody_would_see_or_do_is_refused() {
    check(
        "{summary_prompt: sum up}",
        &[
            "P022 sum up: models work in steps only, where their answer is checked and can be signed, and not at the end of a run | write an `llm_task` step with `action: synthesize_report`, and show its result in `sections`",
        ],
    );
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
    check(
        "{sections: [{title: A, source: used.data, format: tabel}]}",
        &[
            "P005 tabel: `format` must be one of `auto`, `text`, `list`, `table`, `facts`, `json`, found `tabel` | did you mean `table`?",
        ],
    );
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
