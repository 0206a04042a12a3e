//! Steps that run code.

use serde_json::json;

use crate::case::{person, step};
use crate::models::output;

fn playbook(id: &str, code: &str) -> String {
    let code = serde_json::to_string(code).unwrap();
    format!(
        "
id: {id}
name: Code
execution_mode: deterministic
inputs:
  - {{name: rows, type: list}}
steps:
  - {{name: compute, step_type: tool, action: run_python, on_error: stop, inputs: {{data: '{{rows}}'}}, params: {{code: {code}}}}}
  - {{name: keep, step_type: tool, action: transform_data, inputs: {{data: '{{compute.result}}'}}, params: {{operations: []}}}}
"
    )
}

#[tokio::test]
async fn r_009_k_43_code_computes_what_the_next_step_is_given() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let sums =
        "print(len(data))\n[{{'name': row['name'], 'cents': row['cents'] * 2}} for row in data]";
    ana.playbook(&playbook("sums", sums)).await;
    let rows = json!({ "rows": [{ "name": "Owl Fund {today}", "cents": 7 }] });
    let run = ana.start(&agent, "sums", rows.clone()).await;
    ana.reaches(&run, "complete").await;
    let computed = output(&ana, &run, "compute").await;
    let expect = json!([{ "name": "Owl Fund {today}", "cents": 14 }]);
    assert_eq!((&computed["result"], &computed["stdout"]), (&expect, &json!("1\n")));
    assert_eq!(output(&ana, &run, "keep").await["data"], expect);

    ana.playbook(&playbook("fails", "x = 1\nopen('/proc/self/environ')")).await;
    let run = ana.start(&agent, "fails", rows).await;
    let ended = ana.reaches(&run, "error").await;
    let failed = step(&ended, "compute");
    let said = failed["message"].as_str().unwrap();
    assert!(failed["code"] == "CODE_FAILED" && said.contains("line 2"), "{failed:#}");

    let refused = playbook("none", "");
    let (status, _) = ana.refused("/playbooks", Some(&json!({ "yaml": refused }))).await;
    assert_eq!(status, 422, "there is no code");
}
