//! A request for approval as text: the same that the mailed page shows, in its order.

use serde_json::Value;

use super::{approval_rows, field_items, items, text, visible};

/// Everything that the request shows, a line each.
pub(super) fn lines(request: &Value) -> Vec<String> {
    let mut lines = head(request);
    lines.extend(list("Warnings:", warnings(request)));
    lines.extend(list("Take note:", bullets(request, "remarks")));
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
    lines.extend(approval_rows::lines(request));
    lines.push(String::new());
    lines.push(format!("digest {}", cell(request, "digest")));
    lines
}

fn head(request: &Value) -> Vec<String> {
    let given = format!("{} of {} approvals", cell(request, "given"), cell(request, "needed"));
    let waits: Vec<&str> =
        field_items(request, "waits_for").iter().filter_map(Value::as_str).collect();
    let waits =
        if waits.is_empty() { String::new() } else { format!(", waits for {}", waits.join(", ")) };
    let deadline = request.pointer("/timing/deadline").and_then(Value::as_str);
    let until = deadline.map(|at| format!(", counts as denied after {at}")).unwrap_or_default();
    let mut lines = vec![
        cell(request, "title"),
        format!("{} · {} · {given}{waits}{until}", cell(request, "id"), cell(request, "status")),
    ];
    let prompt = text(request, "prompt").unwrap_or_default();
    if !prompt.is_empty() {
        lines.push(String::new());
        lines.extend(prompt.lines().map(visible));
    }
    lines.extend(text(request, "prompt_note").map(|note| format!("({})", visible(&note))));
    lines
}

/// Who struck out or brought back what, the earliest first.
fn strikes(request: &Value) -> impl Iterator<Item = String> {
    field_items(request, "strikes").iter().map(|strike| {
        let did = [("struck", "struck out"), ("restored", "brought back")].map(|(field, verb)| {
            // The record counts from 0, everything that is shown from 1.
            let numbers = field_items(strike, field).iter().filter_map(Value::as_u64);
            let numbers: Vec<String> = numbers.map(|n| (n + 1).to_string()).collect();
            (!numbers.is_empty()).then(|| format!("{verb} {}", numbers.join(", ")))
        });
        let did = did.into_iter().flatten().collect::<Vec<_>>().join(" and ");
        let (by, step, at) = (cell(strike, "by"), cell(strike, "step"), cell(strike, "at"));
        format!("  - {by} {did} of {step}, {at}")
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
    texts.map(|text| format!("  - {}", visible(text))).collect()
}

fn warnings(request: &Value) -> Vec<String> {
    let whole_at = format!(
        "of which GET /api/agent-factory/approvals/{}/warnings lists up to 100 of a step",
        cell(request, "id")
    );
    field_items(request, "warnings")
        .iter()
        .flat_map(|of_step| super::show::warned(of_step, &whole_at))
        .map(|line| format!("  {}", visible(&line)))
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
    lines.extend(field_items(step, "amounts").iter().map(amount));
    if left_out > 0 {
        lines.push(format!(
            "  and {left_out} more: GET /api/agent-factory/approvals/{}/effects/{}/N",
            cell(request, "id"),
            cell(step, "step")
        ));
    }
    lines
}

/// What the requests that are left come to.
fn amount(of: &Value) -> String {
    format!("  {}: {}, {} requests together", cell(of, "label"), cell(of, "sum"), cell(of, "of"))
}

/// One request: where it goes, with which credential, and every value under the name it is sent by.
fn sent(sends: &Value) -> Vec<String> {
    let target = &sends["target"];
    let mut lines = vec![format!("{} {}", cell(target, "method"), cell(target, "url"))];
    if let Some(host) = text(target, "unicode_host") {
        lines.push(format!("host in its own script: {}", visible(&host)));
    }
    if let Some(credential) = sends.pointer("/account/credential").and_then(Value::as_str) {
        let account = &sends["account"];
        let details = field_items(account, "details").iter().filter_map(|pair| {
            Some(format!(", {} {}", pair.get(0)?.as_str()?, pair.get(1)?.as_str()?))
        });
        let details: String = details.collect();
        lines
            .push(visible(&format!("credential {credential}, {}{details}", cell(account, "auth"))));
    }
    for section in field_items(sends, "sections") {
        let media = text(section, "media").map(|media| format!(" ({media})")).unwrap_or_default();
        lines.push(format!("{}{media}", cell(section, "part")));
        match section.pointer("/content/text").and_then(Value::as_str) {
            Some(body) => lines.extend(body.split('\n').map(|line| format!("  {}", visible(line)))),
            None => lines.extend(
                section.pointer("/content/fields").map_or(&[][..], items).iter().flat_map(pair),
            ),
        }
    }
    lines.push(format!("via {}", cell(sends, "via")));
    lines
}

/// A value with its name. One of several lines, such as the text of a mail, begins below its name, and each of its lines is
/// marked, so that none passes for another value.
fn pair(field: &Value) -> Vec<String> {
    let name = cell(field, "name");
    let value = field.get("value").and_then(Value::as_str).filter(|value| value.contains('\n'));
    let Some(value) = value else { return vec![format!("  {name} = {}", cell(field, "value"))] };
    let lines = value.split('\n').map(|line| format!("  | {}", visible(line)));
    std::iter::once(format!("  {name} =")).chain(lines).collect()
}

/// A call with an unknown outcome: where and by which key to look for it, what it sent, and the risk of sending it again.
/// Its number is the one that `--answer` takes.
fn unknown(call: &Value) -> Vec<String> {
    let mut lines = vec![
        format!("What became of call {}?", cell(call, "n")),
        format!("  {}, sent at {}", cell(call, "target"), cell(call, "sent_at")),
        format!("  idempotency key {}", cell(call, "key")),
    ];
    lines.extend(sent(&call["sends"]).into_iter().map(|line| format!("  {line}")));
    lines.extend(text(call, "again_warning").map(|risk| format!("  again: {}", visible(&risk))));
    lines
}

fn cell(value: &Value, field: &str) -> String {
    visible(&text(value, field).unwrap_or_else(|| "-".to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lines;

    #[test]
    fn r_052_a_terminal_shows_what_the_page_shows() {
        let request = json!({
            "id": "appr_1", "status": "pending", "title": "Pay: ask", "prompt": "Pay these?\nAll of them.",
            "prompt_note": "Written before 1 of 3 requests was struck out: what it counts may include that one.",
            "given": 1, "needed": 2, "waits_for": ["bob"], "timing": {"deadline": "2026-01-02T00:00:00Z"},
            "warnings": [{"step": "read", "count": 3, "first": ["a.csv, row 2, amount: \u{1b}[31m`$1`"]}],
            "remarks": ["`pay_large` will be skipped"], "later": ["tell"],
            "strikes": [{"by": "ana", "at": "2026-01-01T00:00:00Z", "step": "pay", "struck": [1], "restored": [0]}],
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
        let expect = "Pay: ask
appr_1 · pending · 1 of 2 approvals, waits for bob, counts as denied after 2026-01-02T00:00:00Z

Pay these?
All of them.
(Written before 1 of 3 requests was struck out: what it counts may include that one.)

Warnings:
  3 warnings in read
    a.csv, row 2, amount: \\u{1b}[31m`$1`
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
       amount = 10.00
       note =
       | Thank you,
       | to = \\u{202e}Ana
     headers
       x: 1
     via bank.pay
  2. (struck out, not sent)
     POST https://bank.example/pay
     via bank.pay
  Amount: 22.00 EUR, 2 requests together
  and 1 more: GET /api/agent-factory/approvals/appr_1/effects/pay/N

Rows (1 of 9):
  1. vendor: Acme, amount: 12

digest abc";
        assert_eq!(lines(&request).join("\n"), expect);
    }
    #[test]
    fn k_49_a_terminal_says_where_to_look_for_a_call() {
        let target = json!({"method": "POST", "url": "https://bank.example/pay"});
        let body = json!({"part": "body", "content": {"text": "a\r\nb\n"}});
        let request = json!({
            "id": "appr_1", "status": "pending", "title": "Pay: pay", "given": 0, "needed": 1, "digest": "abc",
            "outcome": [{
                "n": 2, "target": "POST bank.example/pay", "sent_at": "2026-01-01T00:00:00Z", "key": "k-1",
                "again_warning": "the key is forgotten",
                "sends": {"target": target, "sections": [body], "via": "bank.pay"},
            }],
        });
        let shown = lines(&request).join("\n");
        let expect = "What became of call 2?
  POST bank.example/pay, sent at 2026-01-01T00:00:00Z
  idempotency key k-1
  POST https://bank.example/pay
  body
    a\\r
    b
    
  via bank.pay
  again: the key is forgotten
";
        assert!(shown.contains(expect), "{shown}");
    }
}
