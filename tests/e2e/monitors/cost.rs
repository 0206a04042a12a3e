//! What a look that finds nothing costs.

use serde_json::Value;

use super::watching;
use crate::case::until;
use crate::world::world;

/// The lines of the functions' log with all of these words.
async fn lines(words: &[&str]) -> Vec<String> {
    let group = world().stack.output("FunctionLogGroup").unwrap();
    let pattern = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ");
    let ask =
        ["logs", "filter-log-events", "--log-group-name", group, "--filter-pattern", &pattern];
    let said = world().aws(&ask).await.unwrap();
    let all = said["events"].as_array().unwrap().iter();
    let all = all.filter_map(|event| event["message"].as_str().map(str::to_owned));
    all.filter(|line| words.iter().all(|word| line.contains(word))).collect()
}

/// A field of a line, which is JSON where the log of functions is, and text where it is not.
fn field(line: &str, name: &str) -> String {
    let parsed: Value = serde_json::from_str(line).unwrap_or_default();
    let value = parsed.get("fields").unwrap_or(&parsed).get(name).cloned();
    let text = line.split_once(&format!(" {name}=")).map(|(_, rest)| rest.to_owned());
    let found = value.map(|value| value.to_string()).or(text);
    let found = found.unwrap_or_else(|| panic!("no `{name}`: {line}"));
    found.split_whitespace().next().unwrap_or_default().trim_matches('"').to_owned()
}

fn number(line: &str, name: &str) -> u64 {
    field(line, name).parse().unwrap()
}

#[tokio::test]
async fn f_220_a_look_that_finds_nothing_reads_four_times_and_writes_once() {
    let watch = watching().await;
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
    let asked = until("the log of both looks", || async {
        let asked = lines(&["asked", &watch.monitor]).await;
        (asked.len() >= 2).then_some(asked)
    })
    .await;
    let asked = asked.last().unwrap();
    let request = field(asked, "request_id");
    let served = until("the log of the invocation", || async {
        lines(&["served", &request]).await.into_iter().next()
    })
    .await;
    let own = |name: &str| number(&served, name) - number(asked, name);
    assert_eq!((own("reads"), own("writes")), (4, 1), "{served} {asked}");
}
