//! Keys of the head, of steps and of triggers: known ones, where they belong.

use super::links::{READ, USE, check, tool};
use super::{around, problems};

#[test]
fn keys_are_known_and_stand_where_they_belong() {
    check(
        &tool("t", "action: query_journal, inputs: {limits: 5}"),
        &[
            "P002 limits: the action takes no `limits` under `inputs` | did you mean `limit` under `params`?",
        ],
    );
    check(
        &tool("t", "action: query_journal, inptus: {query: a}"),
        &["P002 inptus: entry 2 of `steps` has no key `inptus` | did you mean `inputs`?"],
    );
    check(
        &tool("t", "action: query_journal, prompt: hm"),
        &[
            "P002 prompt: entry 2 of `steps` has no key `prompt` | `prompt` belongs to `step_type: approval`",
        ],
    );
    check(
        &tool("t", "action: query_journal, inputs: {limit: 5}"),
        &["P002 limit: the action takes no `limit` under `inputs` | `limit` stands under `params`"],
    );
    check(
        &tool("t", "action: query_journal, inputs: {qery: a}"),
        &["P002 qery: the action takes no `qery` under `inputs` | did you mean `query`?"],
    );
    check(
        "  - {name: t, action: query_journal}\n",
        &["P003 name: entry 2 of `steps` has no `step_type`"],
    );
    check(
        "  - {name: t, step_type: tol, action: query_journal}\n",
        &[
            "P005 tol: `step_type` must be one of `tool`, `llm_task`, `approval`, found `tol` | did you mean `tool`?",
        ],
    );
    check(
        &tool("t", "action: query_journal, timeout_seconds: 900"),
        &["P006 900: `timeout_seconds` must be a whole number from 1 to 840, found 900"],
    );
    check(
        &tool("two words", "action: query_journal"),
        &["P007 two words: `two words` is not a name that references can use | write `two_words`"],
    );
}

#[test]
fn f_134_triggers_are_checked() {
    let text = |pattern: &str| {
        format!(
            "triggers: [{{pattern: '{pattern}', type: regex}}]\n{}",
            around(&format!("{READ}{USE}"))
        )
    };
    assert_eq!(problems(&text("who (runs|leads)")), Vec::<String>::new());
    assert_eq!(
        problems(&text("who (runs")),
        ["P025 'who (runs': the pattern is not a regular expression: unclosed group"]
    );
    assert_eq!(problems(&text("((a{500}){500}){500}")).len(), 1);
}

#[test]
fn header_fields_are_checked() {
    let text = format!(
        "category: analysys\nmonitor_config: {{interval: 7m, active_hours: {{start: \"25:00\", end: \"17:00\", timezone: Berlin}}}}\n{}",
        around(&format!("{READ}{USE}"))
    )
    .replace("{name: who, type: entity_name}", "{name: who, type: number, default: many}");
    assert_eq!(
        problems(&text),
        [
            "P005 analysys: `category` must be one of `investigation`, `monitoring`, `analysis`, `extraction`, found `analysys` | did you mean `analysis`?",
            "P005 7m: `interval` must be one of `5m`, `15m`, `30m`, `1h`, `4h`, `12h`, `24h`, found `7m`",
            "P004 \"25:00\": `25:00` is not a time of day | write hours and minutes in quotes, such as \"09:30\"",
            "P004 Berlin: `Berlin` is not a time zone | write an IANA name such as `Europe/Berlin`, or `UTC`",
            "P014 many: the default does not fit: expected number, found a text that is not a number",
        ]
    );
}
