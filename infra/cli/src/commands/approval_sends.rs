//! What a request for approval sends, as text: every value under the name it is sent by.

use serde_json::Value;

use super::marked::{self, cell, fitted};
use super::{field_items, items, text};

/// One request: where it goes, with which credential, and every value under the name it is sent by.
pub(super) fn sent(sends: &Value) -> Vec<String> {
    let target = &sends["target"];
    let url = cell(target, "url");
    let in_clear = if url.starts_with("http://") { " (not encrypted)" } else { "" };
    let mut lines = fitted([format!("{} {url}{in_clear}", cell(target, "method"))]);
    let host = text(target, "unicode_host");
    lines.extend(host.iter().flat_map(|host| marked::value("host in its own script:", host)));
    lines.extend(fitted([account(&sends["account"])]));
    for section in field_items(sends, "sections") {
        let media = text(section, "media").unwrap_or_default();
        let named =
            if media.is_empty() { String::new() } else { format!(" ({})", marked::line(&media)) };
        lines.extend(fitted([format!("{}{named}", cell(section, "part"))]));
        let values = match section.pointer("/content/text").and_then(Value::as_str) {
            Some(body) => marked::block(body),
            None => {
                let fields = section.pointer("/content/fields").map_or(&[][..], items).iter();
                fields.flat_map(|field| pair(field, media.contains("json"))).collect()
            }
        };
        lines.extend(values.into_iter().map(|line| format!("  {line}")));
    }
    lines.extend(fitted([format!("via {}", cell(sends, "via"))]));
    lines
}

/// The credential that a request is sent with, and further facts of it.
fn account(account: &Value) -> String {
    let Some(credential) = account.get("credential").and_then(Value::as_str) else {
        return "without a credential".to_owned();
    };
    let details = field_items(account, "details").iter().filter_map(|pair| {
        Some(format!(", {} {}", pair.get(0)?.as_str()?, pair.get(1)?.as_str()?))
    });
    let details: String = details.collect();
    let auth = text(account, "auth").unwrap_or_default();
    marked::line(&format!("credential {credential}, {auth}{details}"))
}

/// A value with its name. In JSON, a text that would be another kind of value without its quotation marks keeps them.
fn pair(field: &Value, in_json: bool) -> Vec<String> {
    let name = format!("{} =", marked::name(&text(field, "name").unwrap_or_default()));
    let value = text(field, "value").unwrap_or_default();
    let looks_other = || value.is_empty() || serde_json::from_str::<Value>(&value).is_ok();
    match field["kind"].as_str() {
        Some("secret") => fitted([format!("{name} {}", marked::secret(&value))]),
        Some("text") if in_json && looks_other() => {
            marked::value(&name, &Value::from(value).to_string())
        }
        _ => marked::value(&name, &value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{pair, sent};

    #[test]
    fn data_that_reads_like_the_place_of_a_secret_does_not_look_like_one() {
        let words = "Bearer, then the credential's token";
        let field = |name: &str, value: &str, kind: &str| json!({ "name": name, "value": value, "kind": kind });
        let fields = [
            field("authorization", words, "secret"),
            field("x-note", words, "text"),
            field("x-mark", &format!("[secret: {words}]"), "text"),
            field("a = 1, b", "\u{410}cme \u{662}", "text"),
            field("empty", "", "text"),
        ];
        let sends = json!({
            "target": { "method": "POST", "url": "http://bank.example/pay" }, "via": "bank.pay",
            "sections": [{ "part": "headers", "content": { "fields": fields } }],
        });
        let expect = "POST http://bank.example/pay (not encrypted)
without a credential
headers
  authorization = [secret: Bearer, then the credential's token]
  x-note = Bearer, then the credential's token
  x-mark = [U+005B]secret: Bearer, then the credential's token]
  \"a = 1, b\" = [\u{410} U+0410 Cyrillic]cme [\u{662} U+0662]
  empty = [empty]
via bank.pay";
        assert_eq!(sent(&sends).join("\n"), expect);
    }

    #[test]
    fn a_text_of_json_that_looks_like_another_value_keeps_its_quotation_marks() {
        let shown = |value: &str, kind: &str, in_json: bool| {
            pair(&json!({ "name": "x", "value": value, "kind": kind }), in_json).join("\n")
        };
        assert_eq!(shown("10.00", "text", true), "x = \"10.00\"");
        assert_eq!(shown("", "text", true), "x = \"\"");
        assert_eq!(shown("10.00", "number", true), "x = 10.00");
        assert_eq!(shown("10.00", "text", false), "x = 10.00");
        assert_eq!(shown("ten", "text", true), "x = ten");
    }
}
