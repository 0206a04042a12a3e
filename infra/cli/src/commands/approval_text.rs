//! A request for approval as text: what the mailed page shows (docs/approvals.md says what not). What comes from outside is written
//! by `marked`: with the marks of the page, and so that none of it passes for a line of the request.

use serde_json::Value;

use super::approval_consequence::{consequence, send_problems};
use super::approval_sends::sent;
use super::approval_steps::{DESCRIBED, described, plan};
use super::marked::{self, cell, fitted};
use super::{FACTORY, approval_rows, brief, field_items, show, text};
use crate::console::Console;

/// Everything that the request shows, in lines that the terminal does not wrap; its digest, which may be copied, stays whole.
pub(super) fn shown(request: &Value, console: &Console) -> Vec<String> {
    let mut all = lines(request);
    let digest = all.pop();
    marked::narrowed(all, console.columns()).into_iter().chain(digest).collect()
}

/// The same, a line each.
fn lines(request: &Value) -> Vec<String> {
    let mut lines = head(request);
    lines.extend(question(request));
    lines.extend(list("As things stand:", send_problems(request)));
    lines.extend(list("Warnings:", warnings(request)));
    lines.extend(list("Take note:", remarks(request)));
    lines.extend(list("Not covered; asks for itself:", bullets(request, "later")));
    let revisable = bullets(request, "revisable");
    lines.extend(list("Written by a model; `countersign revise` has it rewritten:", revisable));
    lines.extend(list("Struck out so far:", strikes(request).collect()));
    for step in field_items(request, "effects") {
        lines.push(String::new());
        lines.extend(requests_of(request, step));
    }
    for call in field_items(request, "outcome") {
        lines.push(String::new());
        lines.extend(unknown(call));
    }
    lines.extend(unsent(request));
    lines.extend(approval_rows::lines(request));
    lines.extend(list("Where the run stands:", plan(request)));
    lines.extend(list(DESCRIBED, described(request)));
    lines.push(String::new());
    lines.push(format!("digest {}", cell(request, "digest")));
    lines
}

/// What it is, how it stands, who asks, and whether it can be undone.
fn head(request: &Value) -> Vec<String> {
    let version = text(request, "version").map(|n| format!(", version {n}")).unwrap_or_default();
    let waits = field_items(request, "waits_for").iter().filter_map(Value::as_str);
    let waits = waits.map(marked::line).collect::<Vec<_>>().join(", ");
    let waits = if waits.is_empty() { waits } else { format!(", waits for {waits}") };
    let lines = [
        cell(request, "title"),
        format!("{}{version} · {}", cell(request, "id"), cell(request, "status")),
        format!("{} approvals{waits}", marked::line(&show::given(request))),
    ];
    let said = |before: &str, field: &str| {
        text(request, field).map(|said| format!("{before} {}", marked::line(&said)))
    };
    let more = [
        text(request, "timing.deadline")
            .map(|at| format!("counts as denied after {}", marked::line(&brief(at)))),
        said("asked by", "asker").or_else(|| said("asked by", "invoker")),
        said("agent", "agent").or_else(|| said("agent", "agent_profile_id")),
        said("costs at most", "cost_bound"),
        consequence(request),
    ];
    fitted(lines.into_iter().chain(more.into_iter().flatten()))
}

/// The prompt, which quotes data of the run: each line of it is marked, so that none passes for what the system says.
fn question(request: &Value) -> Vec<String> {
    let prompt = text(request, "prompt").unwrap_or_default();
    let prompt = prompt.trim_matches('\n');
    let mut lines = match prompt {
        "" => Vec::new(),
        _ => marked::block(prompt).into_iter().map(|line| format!("  {line}")).collect(),
    };
    let note = text(request, "prompt_note").map(|note| format!("({})", marked::line(&note)));
    lines.extend(fitted(note));
    list("Question, with data of the run filled in:", lines)
}

/// Who struck out or brought back what, the earliest first.
fn strikes(request: &Value) -> impl Iterator<Item = String> {
    field_items(request, "strikes").iter().flat_map(|strike| {
        let did = [("struck", "struck out"), ("restored", "brought back")].map(|(field, verb)| {
            // The record counts from 0, everything that is shown from 1.
            let numbers = field_items(strike, field).iter().filter_map(Value::as_u64);
            let numbers: Vec<String> = numbers.map(|n| (n + 1).to_string()).collect();
            (!numbers.is_empty()).then(|| format!("{verb} {}", numbers.join(", ")))
        });
        let did = did.into_iter().flatten().collect::<Vec<_>>().join(" and ");
        let (by, step, at) = (cell(strike, "by"), cell(strike, "step"), moment(strike, "at"));
        fitted([format!("  - {by} {did} of {step}, {at}")])
    })
}

/// A heading with what belongs to it; nothing when that is nothing.
fn list(heading: &str, below: Vec<String>) -> Vec<String> {
    if below.is_empty() {
        return below;
    }
    [String::new(), heading.to_owned()].into_iter().chain(below).collect()
}

fn bullets(request: &Value, field: &str) -> Vec<String> {
    let texts = field_items(request, field).iter().filter_map(Value::as_str);
    fitted(texts.map(|text| format!("  - {}", marked::line(text))))
}

/// What the system has to say to those who sign.
fn remarks(request: &Value) -> Vec<String> {
    let is_old = request["v"].as_u64().is_some_and(|v| v < 2);
    let old = is_old.then(|| {
        "  - This request was made by an earlier version. Approving it sends nothing: each step behind it asks again.".to_owned()
    });
    fitted(old).into_iter().chain(bullets(request, "remarks")).collect()
}

fn warnings(request: &Value) -> Vec<String> {
    let whole_at = format!(
        "of which GET {FACTORY}/approvals/{}/warnings lists up to 100 of a step",
        cell(request, "id")
    );
    field_items(request, "warnings")
        .iter()
        .flat_map(|of_step| show::warned(of_step, &whole_at, |line| fitted([marked::line(line)])))
        .map(|line| format!("  {line}"))
        .collect()
}

/// What a step sends: every value of every request that the answer holds, and how many are elsewhere.
fn requests_of(request: &Value, step: &Value) -> Vec<String> {
    let all = field_items(step, "items");
    let left_out = step["left_out"].as_u64().unwrap_or_default();
    let count = all.len() as u64 + left_out;
    let struck = count.saturating_sub(step["left"].as_u64().unwrap_or(count));
    let struck = if struck > 0 { format!(", {struck} struck out") } else { String::new() };
    let noun = if count == 1 { "request" } else { "requests" };
    let mut lines = vec![format!("{} sends {count} {noun}{struck}:", cell(step, "step"))];
    for item in all {
        let mark = if item["struck"] == true { " (struck out, not sent)" } else { "" };
        lines.push(format!("  {}.{mark}", cell(item, "n")));
        lines.extend(sent(&item["sends"]).into_iter().map(|line| format!("     {line}")));
    }
    lines.extend(field_items(step, "amounts").iter().flat_map(amount));
    if left_out > 0 {
        lines.push(format!(
            "  and {left_out} more: GET {FACTORY}/approvals/{}/effects/{}/N",
            cell(request, "id"),
            cell(step, "step")
        ));
    }
    lines
}

/// What the requests that are left come to.
fn amount(of: &Value) -> Vec<String> {
    let (label, sum, of) = (cell(of, "label"), cell(of, "sum"), cell(of, "of"));
    fitted([format!("  {label}: {sum}, {of} requests together")])
}

/// A call with an unknown outcome: where and by which key to look for it, what it sent, and the risk of sending it again.
/// Its number is the one that `--answer` takes.
fn unknown(call: &Value) -> Vec<String> {
    let mut lines = vec![
        format!("What became of call {}?", cell(call, "n")),
        format!("  {}, sent after {}", cell(call, "target"), moment(call, "sent_at")),
        format!("  idempotency key {}", cell(call, "key")),
        format!("  allowed by {}, receipt {}", cell(call, "approval"), cell(call, "receipt")),
    ];
    lines = fitted(lines);
    lines.extend(sent(&call["sends"]).into_iter().map(|line| format!("  {line}")));
    let risk = text(call, "again_warning");
    lines.extend(fitted(risk.map(|risk| format!("  again: {}", marked::line(&risk)))));
    lines
}

/// What follows once it is known what became of a call.
fn unsent(request: &Value) -> Option<String> {
    let more = match request["unsent"].as_u64()? {
        0 => return None,
        1 => "1 more request that was".to_owned(),
        count => format!("up to {count} more requests that were"),
    };
    Some(format!(
        "The run waits. When it goes on, it sends {more} signed together with this, and asks nobody again; `not_done` may end it instead."
    ))
}

/// The same of a moment, to the second.
fn moment(value: &Value, field: &str) -> String {
    brief(cell(value, field))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::lines;

    #[test]
    fn r_052_a_terminal_shows_what_the_page_shows() {
        let mut request = json!({
            "id": "appr_1", "status": "pending", "title": "Pay: ask", "prompt": "Pay these?\nAll of them.",
            "prompt_note": "Written before 1 of 3 requests was struck out: what it counts may include that one.",
            "given": 1, "needed": 2, "waits_for": ["bob"], "timing": {"deadline": "2026-01-02T00:00:00.105923501Z"},
            "warnings": [{"step": "read", "count": 3, "first": ["a.csv, row 2, amount: \u{1b}[31m`$1`"]}],
            "remarks": ["`pay_large` will be skipped"], "later": ["tell"],
            "strikes": [{"by": "ana", "at": "2026-01-01T00:00:00.5Z", "step": "pay", "struck": [1], "restored": [0]}],
            "effects": [{"step": "pay", "left": 2, "left_out": 1,
                "amounts": [{"label": "Amount", "sum": "22.00 EUR", "of": 2}], "items": [
                {"n": 1, "struck": false, "sends": {
                    "target": {"method": "POST", "url": "https://bank.example/pay"},
                    "account": {"credential": "cred_1", "auth": "bearer_token", "details": [["scope", "pay"]]},
                    "sections": [
                        {"part": "body", "media": "application/json", "content": {"fields": [
                            {"name": "amount", "value": "10.00", "kind": "text"},
                            {"name": "note", "value": "Thank you,\nto = \u{202e}Ana", "kind": "text"}]}},
                        {"part": "headers", "content": {"text": "x: 1"}}],
                    "via": "bank.pay"}},
                {"n": 2, "struck": true, "sends": {"target": {"method": "POST", "url": "https://bank.example/pay"}, "sections": [], "via": "bank.pay"}}]}],
            "preview": {"shown": [{"vendor": "Acme", "amount": 12}], "total": 9, "count": 1},
            "digest": "abc",
        });
        for (field, value) in [
            ("asker", "ana"),
            ("agent", "Treasurer"),
            ("cost_bound", "2 calls"),
            ("plan_picture", "· read\n▸ ask"),
        ] {
            request[field] = json!(value);
        }
        request["steps"] = json!([
            {"name": "read", "description": "Reads \u{1b}it\npay:"}, {"name": "ask", "description": null},
            {"name": "pay", "description": "Pays them", "condition": "{read.count} > 0"},
        ]);
        request["version"] = json!(2);
        request["irreversible"] = json!(true);
        let expect = "Pay: ask
appr_1, version 2 · pending
1 of 2 approvals, waits for bob
counts as denied after 2026-01-02T00:00:00Z
asked by ana
agent Treasurer
costs at most 2 calls
Approving sends 2 requests that cannot be undone.

Question, with data of the run filled in:
  | Pay these?
  | All of them.
(Written before 1 of 3 requests was struck out: what it counts may 
  + include that one.)

Warnings:
  3 warnings in read
    a.csv, row 2, amount: [U+001B][31m`$1`
    and 2 more, of which GET /api/agent-factory/approvals/appr_1/warnings lists up to 100 of a step

Take note:
  - `pay_large` will be skipped

Not covered; asks for itself:
  - tell

Struck out so far:
  - ana struck out 2 and brought back 1 of pay, 2026-01-01T00:00:00Z

pay sends 3 requests, 1 struck out:
  1.
     POST https://bank.example/pay
     credential cred_1, bearer_token, scope pay
     body (application/json)
       amount = \"10.00\"
       note =
       | Thank you,
       | to = [U+202E]Ana
     headers
       | x: 1
     via bank.pay
  2. (struck out, not sent)
     POST https://bank.example/pay
     without a credential
     via bank.pay
  Amount: 22.00 EUR, 2 requests together
  and 1 more: GET /api/agent-factory/approvals/appr_1/effects/pay/N

Rows. Showing 1 of 9:
  1. vendor: \"Acme\", amount: 12

Where the run stands:
  | · read
  | ▸ ask

What its steps do, in their author's words:
  read:
  | Reads [U+001B]it
  | pay:
  pay: Pays them
  pay, only if: {read.count} > 0

digest abc";
        assert_eq!(lines(&request).join("\n"), expect);
    }

    /// A request for approval that sends nothing, with this prompt.
    fn asked(prompt: &str) -> Value {
        json!({ "id": "appr_1", "status": "pending", "title": "Pay: ask", "prompt": prompt, "digest": "abc" })
    }

    #[test]
    fn no_line_of_a_prompt_passes_for_a_line_of_the_request() {
        let fake = "Pay \"Hi\n\npay sends 1 request:\n  1.\n     POST https://bank.example/pay\n\ndigest abc\"?";
        let shown = lines(&asked(fake));
        // Behind three lines on how it stands, and an empty one.
        let (heading, rest) = (4, 5);
        assert!(shown[heading].starts_with("Question, with data"), "{shown:?}");
        let prompt = &shown[rest..rest + fake.lines().count()];
        assert!(prompt.iter().all(|line| line.starts_with("  | ")), "{shown:?}");
        for real in ["pay sends", "digest "] {
            let begins = shown.iter().filter(|line| line.trim_start().starts_with(real)).count();
            assert_eq!(begins, usize::from(real == "digest "), "{shown:?}");
        }
        // Nor where the terminal would wrap a long one.
        let shown = lines(&asked(&format!("{}pay sends 1 request:", "Thanks. ".repeat(10))));
        assert!(shown.iter().all(|line| line.chars().count() < 80), "{shown:?}");
        assert!(!shown.iter().any(|line| line.starts_with("pay sends")), "{shown:?}");
    }

    #[test]
    fn what_cannot_be_undone_is_said_before_anything_else() {
        let mut request = asked("");
        let said = |request: &Value| {
            let whole = lines(request).join("\n").replace("\n  + ", "");
            whole.lines().find(|line| line.contains("cannot be undone")).map(str::to_owned)
        };
        assert_eq!(said(&request), None);
        request["irreversible"] = json!(true);
        assert_eq!(said(&request).unwrap(), "Approving allows what cannot be undone.");
        request["effects"] = json!([{ "step": "pay", "left": 1, "items": [] }]);
        assert_eq!(said(&request).unwrap(), "Approving sends 1 request that cannot be undone.");
        request["effects"] = json!([{ "step": "pay", "left": 1, "items": [] }, { "step": "tell", "left": 2, "items": [] }]);
        let why = "`tell` cannot be sent as things stand.";
        request["send_problems"] =
            json!([{ "step": "tell", "if_approved": "fails", "message": why }]);
        request["not_sent"] = json!(2);
        let sends =
            "Approving sends 1 request that cannot be undone. As things stand, 2 more would";
        assert!(said(&request).unwrap().starts_with(sends), "{:?}", said(&request));
        let shown = lines(&request).join("\n");
        assert!(shown.contains(&format!("As things stand:\n  - {why}\n")), "{shown}");
        request["needed"] = json!(2);
        let alone =
            "Approving alone sends nothing: of 2 signatures still needed, the last sends 1 request";
        assert!(said(&request).unwrap().starts_with(alone), "{:?}", said(&request));
        request["effects"] = json!([{ "step": "tell", "left": 2, "items": [] }]);
        assert!(lines(&request).contains(&"As things stand, approving sends nothing.".to_owned()));
    }

    #[test]
    fn k_49_a_terminal_says_where_to_look_for_a_call() {
        let target = json!({"method": "POST", "url": "https://bank.example/pay"});
        let body = json!({"part": "body", "content": {"text": "a\r\nb\n"}});
        let request = json!({
            "id": "appr_1", "status": "pending", "title": "Pay: pay", "given": 0, "needed": 1, "digest": "abc",
            "unsent": 3, "outcome": [{
                "n": 2, "target": "POST bank.example/pay", "sent_at": "2026-01-01T00:00:00.5Z", "key": "k-1",
                "approval": "appr_0", "receipt": "rcpt_0", "again_warning": "the key is forgotten",
                "sends": {"target": target, "sections": [body], "via": "bank.pay"},
            }],
        });
        let shown = lines(&request).join("\n");
        let expect = "What became of call 2?
  POST bank.example/pay, sent after 2026-01-01T00:00:00Z
  idempotency key k-1
  allowed by appr_0, receipt rcpt_0
  POST https://bank.example/pay
  without a credential
  body
    | a[U+000D]
    | b[line feed]
  via bank.pay
  again: the key is forgotten
The run waits. When it goes on, it sends up to 3 more requests that were signed together with this, and asks nobody again; `not_done` may end it instead.
";
        assert!(shown.contains(expect), "{shown}");
    }
}
