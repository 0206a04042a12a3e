//! `countersign show`.

use clap::Args;
use countersign_run::{WAS_A_REPLAY, WAS_A_TEST};
use serde_json::Value;

use super::approval_steps::{DESCRIBED, described};
use super::following::calls_of_steps;
use super::one::plain;
use super::session::Session;
use super::{
    Caller, FACTORY, field_items, items, marked, pretty, response_text, row, text, visible,
};
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The run.
    run: String,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Show {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let Session { door, as_json, console } = session;
        let run = door.get(&format!("{FACTORY}/executions/{}", plain(&self.run)?)).await?;
        if *as_json {
            console.line(pretty(&run));
            return Ok(());
        }
        shown(&run, console);
        let events =
            door.get(&format!("{FACTORY}/executions/{}/events", plain(&self.run)?)).await?;
        let rows: Vec<Vec<String>> = items(&events)
            .iter()
            .map(|event| row(event, &["at", "kind", "step", "attempt"]))
            .collect();
        console.line("");
        console.table(&["AT", "EVENT", "STEP", "ATTEMPT"], &rows);
        Ok(())
    }
}

/// A run: its fields, its steps, what they could not read, who was asked, and what it answers.
fn shown(run: &Value, console: &Console) {
    fields(run, console);
    if let Some(notice) = notice(run) {
        console.line(notice);
    }
    steps(run, console);
    let described = described(run);
    if !described.is_empty() {
        console.line("");
        console.line(DESCRIBED);
        marked::narrowed(described, console.columns()).iter().for_each(|line| console.line(line));
    }
    let calls = tool_calls(run);
    if !calls.is_empty() {
        console.line("");
        console.table(&["STEP", "TURN", "TOOL", "STATUS", "MS", "ARGUMENTS", "MESSAGE"], &calls);
    }
    let found = found(run);
    if !found.is_empty() {
        console.line("");
        console.table(&["STEP", "SCORE", "FOUND", "ADDRESS"], &found);
    }
    for lines in warnings(run) {
        console.line("");
        lines.iter().for_each(|line| console.text(line));
    }
    requests(run, console);
    let response = response_text::lines(run);
    if !response.is_empty() {
        console.line("");
        response.iter().for_each(|line| console.line(line));
    }
}

/// That a run was a replay or another test, where it was one.
fn notice(run: &Value) -> Option<&'static str> {
    let replay = text(run, "replays").map(|_| WAS_A_REPLAY);
    replay.or_else(|| text(run, "dry_run").map(|_| WAS_A_TEST))
}

fn fields(run: &Value, console: &Console) {
    for (name, value) in run
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_array() && !value.is_object() && !is_blank(value))
    {
        let value = value.as_str().map_or_else(|| value.to_string(), visible);
        console.text(format!("{name:<16} {value}"));
    }
    if let Some(why) = run.get("stop").and_then(stopped) {
        console.text(format!("{:<16} {}", "stopped", visible(&why)));
    }
}

/// Why a run was stopped, with the step that did it.
fn stopped(stop: &Value) -> Option<String> {
    let why = text(stop, "message").filter(|why| !why.is_empty())?;
    let step = text(stop, "step").map(|step| format!("`{step}`: "));
    Some(format!("{}{why}", step.unwrap_or_default()))
}

fn steps(run: &Value, console: &Console) {
    if let Some(steps) = run.get("steps") {
        let fields = ["name", "status", "count", "warnings", "took_ms", "approval_id", "message"];
        let rows = items(steps).iter().zip(drawn(items(steps)));
        let rows = rows.map(|(step, stage)| [vec![stage], row(step, &fields)].concat());
        let rows: Vec<Vec<String>> = rows.collect();
        let head = ["STAGE", "STEP", "STATUS", "RECORDS", "WARNINGS", "MS", "APPROVAL", "MESSAGE"];
        console.line("");
        console.table(&head, &rows);
    }
}

/// The stage of each step; those of one stage, which are carried out side by side, are joined by a line.
fn drawn(steps: &[Value]) -> Vec<String> {
    let stages: Vec<Option<u64>> =
        steps.iter().map(|step| step.get("stage").and_then(Value::as_u64)).collect();
    let of = |n: usize| {
        let stage = stages[n].filter(|stage| *stage > 0)?;
        let is_same = |other: Option<&Option<u64>>| other == Some(&stages[n]);
        let above = n.checked_sub(1).is_some_and(|before| is_same(stages.get(before)));
        Some(match (above, is_same(stages.get(n + 1))) {
            (false, false) => stage.to_string(),
            (false, true) => format!("{stage} ┬"),
            (true, true) => format!("{} ├", " ".repeat(stage.to_string().len())),
            (true, false) => format!("{} └", " ".repeat(stage.to_string().len())),
        })
    };
    (0..steps.len()).map(|n| of(n).unwrap_or_default()).collect()
}

/// Every request for approval with its decisions.
fn requests(run: &Value, console: &Console) {
    let approvals = field_items(run, "approvals");
    if !approvals.is_empty() {
        let rows: Vec<Vec<String>> = approvals.iter().flat_map(asked).collect();
        console.line("");
        console.table(&["STEP", "APPROVAL", "STATUS", "WHO", "AT", "NOTE"], &rows);
    }
}

/// The tools that models asked for, a row each.
fn tool_calls(run: &Value) -> Vec<Vec<String>> {
    let fields = ["turn", "tool", "status", "took_ms", "arguments", "message"];
    let line = |(step, call): (String, &Value)| {
        let cells = row(call, &fields).into_iter().map(|cell| visible(&cell));
        std::iter::once(step).chain(cells).collect()
    };
    calls_of_steps(run).map(line).collect()
}

/// The pages that these tools found or read on the web, a row each.
fn found(run: &Value) -> Vec<Vec<String>> {
    let line = |step: &str, page: &Value| {
        let score =
            page["score"].as_f64().map_or_else(|| "-".to_owned(), |score| score.to_string());
        let cells = row(page, &["title", "url"]).into_iter().map(|cell| visible(&cell));
        [step.to_owned(), score].into_iter().chain(cells).collect()
    };
    calls_of_steps(run)
        .flat_map(|(step, call)| {
            let pages = field_items(call, "found").iter();
            pages.map(move |page| line(&step, page)).collect::<Vec<_>>()
        })
        .collect()
}

/// The warnings of each step of a run, a line each.
pub(super) fn warnings(run: &Value) -> impl Iterator<Item = Vec<String>> {
    let whole_at = "of which the output of the step lists up to 100";
    field_items(run, "warnings")
        .iter()
        .map(|of_step| warned(of_step, whole_at, |l| vec![visible(l)]))
}

/// What a step could not read, each as `shown` writes it, and how many are not listed here but where `whole_at` says.
pub(super) fn warned(
    of_step: &Value,
    whole_at: &str,
    shown: impl Fn(&str) -> Vec<String>,
) -> Vec<String> {
    let count = of_step.get("count").and_then(Value::as_u64).unwrap_or_default();
    let noun = if count == 1 { "warning" } else { "warnings" };
    let head = shown(&format!("{count} {noun} in {}", text(of_step, "step").unwrap_or_default()));
    let first = field_items(of_step, "first");
    let more = count.saturating_sub(first.len() as u64);
    let more = (more > 0).then(|| format!("  and {more} more, {whole_at}"));
    let first = first.iter().filter_map(Value::as_str).flat_map(&shown);
    head.into_iter().chain(first.map(|line| format!("  {line}"))).chain(more).collect()
}

/// The rows of one request: how it stands, then every decision.
fn asked(request: &Value) -> Vec<Vec<String>> {
    let cell = |field| text(request, field).unwrap_or_else(|| "-".to_owned());
    let open = text(request, "status").as_deref() == Some("pending");
    let who = if open { progress(request) } else { cell("by") };
    let in_doubt = request["in_doubt"] == true;
    let status = if in_doubt { of_question(cell("status")) } else { cell("status") };
    let mut head = vec![cell("step"), cell("approval"), status, who];
    head.extend(row(request, &["at"]));
    head.push("-".to_owned());
    let decisions = field_items(request, "decisions").iter().map(|decision| {
        let mut cells = vec![String::new(), String::new()];
        let verdict = row(decision, &["verdict"]).swap_remove(0);
        cells.push(if in_doubt { of_question(verdict) } else { verdict });
        cells.extend(row(decision, &["by", "at"]));
        let note = said(decision);
        cells.push(if note.is_empty() { "-".to_owned() } else { visible(&note) });
        cells
    });
    std::iter::once(head).chain(decisions).collect()
}

/// The same word of a question what became of a call: nobody approves or denies one.
fn of_question(word: String) -> String {
    match word.as_str() {
        "approved" => "answered".to_owned(),
        "approve" => "answer".to_owned(),
        "denied" => "unanswered".to_owned(),
        "deny" => "does not know".to_owned(),
        _ => word,
    }
}

/// Answers and note of a decision, and why it does not count any more: `done “statement 47”; it is booked`.
fn said(decision: &Value) -> String {
    let answers = field_items(decision, "answers");
    let one = |answer: &Value| {
        let word = |field| text(answer, field).unwrap_or_default();
        let number = if answers.len() > 1 { format!("{}: ", word("n")) } else { String::new() };
        let evidence = text(answer, "evidence").map(|evidence| format!(" “{evidence}”"));
        format!("{number}{}{}", word("choice").replace('_', " "), evidence.unwrap_or_default())
    };
    let lost = text(decision, "not_counted");
    let lost = lost.map(|why| format!("not counted: {}", why.replace('_', " ")));
    answers.iter().map(one).chain(text(decision, "note")).chain(lost).collect::<Vec<_>>().join("; ")
}

/// `1 of 2, waits for bob`; of answers `1 of 2 for done, waits for bob`.
fn progress(request: &Value) -> String {
    let people = field_items(request, "waits_for").iter().filter_map(Value::as_str);
    let people: Vec<&str> = people.collect();
    match people.as_slice() {
        [] => format!("{}, nobody may decide", given(request)),
        people => format!("{}, waits for {}", given(request), people.join(", ")),
    }
}

/// `1 of 2`; of answers `1 of 2 for done`.
pub(super) fn given(request: &Value) -> String {
    let count = |field| text(request, field).unwrap_or_default();
    let tally = field_items(request, "tally").iter();
    let answers: Vec<String> = tally
        .map(|tally| {
            let said = |field| text(tally, field).unwrap_or_default();
            format!("{} of {} for {}", said("given"), count("needed"), said("answer"))
        })
        .collect();
    if answers.is_empty() {
        format!("{} of {}", count("given"), count("needed"))
    } else {
        answers.join(", ")
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{WAS_A_REPLAY, WAS_A_TEST, asked, described, drawn, found, notice, tool_calls};

    #[test]
    fn r_038_steps_that_are_carried_out_side_by_side_are_joined() {
        let check = |stages: &[u64], expect: &[&str]| {
            let steps: Vec<_> = stages.iter().map(|stage| json!({ "stage": stage })).collect();
            assert_eq!(drawn(&steps), expect);
        };
        check(&[1, 2, 2, 2, 3], &["1", "2 ┬", "  ├", "  └", "3"]);
        check(&[1, 1], &["1 ┬", "  └"]);
        check(&[10, 10, 11], &["10 ┬", "   └", "11"]);
        // Of a run without a plan.
        check(&[0, 0], &["", ""]);
        assert_eq!(drawn(&[json!({})]), [""]);
    }

    #[test]
    fn f_147_steps_are_shown_with_what_they_do_and_when() {
        let run = json!({ "steps": [
            { "name": "read", "description": "Reads\nit", "condition": null },
            { "name": "ask", "description": null, "condition": null },
            { "name": "pay", "description": "Pays \u{202e}it", "condition": "{read.count} > 0" },
            { "name": "tell", "condition": "{pay.done}" },
        ]});
        let expect = [
            "  read:",
            "  | Reads",
            "  | it",
            "  pay: Pays [U+202E]it",
            "  pay, only if: {read.count} > 0",
            "  tell, only if: {pay.done}",
        ];
        assert_eq!(described(&run), expect);
    }

    #[test]
    fn r_015_pages_that_tools_found_are_shown() {
        let page =
            json!({ "title": "Owls", "url": "https://a.example/1", "excerpt": "x", "score": 0.5 });
        let calls = json!([{ "turn": 1, "found": [page, { "title": "Read", "url": "https://a.example/2" }] }, { "turn": 2 }]);
        let run = json!({ "steps": [{ "name": "look", "tool_calls": calls }, { "name": "keep" }] });
        let expect = [
            ["look", "0.5", "Owls", "https://a.example/1"],
            ["look", "-", "Read", "https://a.example/2"],
        ];
        assert_eq!(found(&run), expect);
    }

    #[test]
    fn k_46_a_test_says_that_it_was_one() {
        assert_eq!(notice(&json!({ "dry_run": "samples" })), Some(WAS_A_TEST));
        let replay = json!({ "dry_run": "reads", "replays": "run_1" });
        assert_eq!(notice(&replay), Some(WAS_A_REPLAY));
        assert_eq!(notice(&json!({ "dry_run": null })), None);
    }

    #[test]
    fn f_057_the_tools_that_a_model_asked_for_are_shown() {
        let call = json!({
            "turn": 1, "call": 2, "tool": "search_web", "arguments": "{\"query\":\"owls\"}",
            "status": "failed", "code": "X", "message": "no\u{1b}[2J", "took_ms": 7,
        });
        let run = json!({ "steps": [{ "name": "a" }, { "name": "b", "tool_calls": [call] }] });
        let expect =
            ["b", "1", "search_web", "failed", "7", "{\"query\":\"owls\"}", "no\\u{1b}[2J"];
        assert_eq!(tool_calls(&run), [expect]);
    }

    #[test]
    fn a_164_an_open_request_says_whom_it_waits_for_and_every_note_is_shown_on_its_line() {
        let request = json!({
            "step": "sign_off", "approval": "appr_1", "status": "pending", "by": null, "at": null, "note": null,
            "given": 1, "needed": 2, "waits_for": ["bob"],
            "decisions": [{ "by": "ada", "verdict": "approve", "at": "2026-11-22T00:11:25.07Z", "note": "a\u{1b}[2J\nb" }],
        });
        let rows = asked(&request);
        assert_eq!(rows[0], ["sign_off", "appr_1", "pending", "1 of 2, waits for bob", "-", "-"]);
        let note = "a\\u{1b}[2J\\nb";
        assert_eq!(rows[1], ["", "", "approve", "ada", "2026-11-22T00:11:25Z", note]);
        let denied = json!({
            "step": "pay", "approval": "appr_2", "status": "denied", "by": "bob", "at": "2026-11-22T00:11:25Z",
            "given": 0, "needed": 1, "waits_for": [], "decisions": [],
        });
        assert_eq!(asked(&denied)[0][2..5], ["denied", "bob", "2026-11-22T00:11:25Z"]);
    }

    #[test]
    fn k_49_an_answer_about_a_call_is_no_approval() {
        let check = |status: &str, verdict: &str, expect: [&str; 2]| {
            let decision = json!({ "by": "bob", "verdict": verdict, "at": "2026-11-22T00:11:25Z", "answers": [] });
            let rows = asked(&json!({
                "step": "pay", "approval": "appr_1", "status": status, "by": "bob", "at": "2026-11-22T00:11:25Z",
                "in_doubt": true, "decisions": [decision],
            }));
            assert_eq!([&rows[0][2], &rows[1][2]], expect);
        };
        check("approved", "approve", ["answered", "answer"]);
        check("denied", "deny", ["unanswered", "does not know"]);
        check("timed_out", "approve", ["timed_out", "answer"]);
    }
}
