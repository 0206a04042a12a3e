//! Filings as they come: truncated, wrongly encoded, hostile. Nothing is lost, and the run says what happened.

use serde_json::{Value, json};

use crate::case::{Person, person, step};
use crate::world::world;

/// Uploads files; returns their ids.
pub(crate) async fn upload(owner: &Person, files: Vec<(String, Vec<u8>)>) -> Vec<String> {
    let listed: Vec<Value> = files
        .iter()
        .map(|(name, content)| json!({ "name": name, "size": content.len() }))
        .collect();
    let places = owner.post("/uploads", &json!({ "files": listed })).await;
    let places = places["items"].as_array().or_else(|| places.as_array()).unwrap().clone();
    for (place, (_, content)) in places.iter().zip(files) {
        owner.door.send(place, content).await.unwrap();
    }
    places.iter().map(|place| place["file_id"].as_str().unwrap().to_owned()).collect()
}

pub(crate) const GOOD: &str = r#"<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.2"><ReturnHeader><TaxYr>2021</TaxYr><ReturnTypeCd>990</ReturnTypeCd><Filer><EIN>001234567</EIN><BusinessName><BusinessNameLine1Txt>RIVER TRUST</BusinessNameLine1Txt></BusinessName></Filer></ReturnHeader><ReturnData><IRS990><Form990PartVIISectionAGrp><PersonNm>ANN LEE</PersonNm><TitleTxt>CHAIR</TitleTxt></Form990PartVIISectionAGrp></IRS990></ReturnData></Return>"#;

fn playbook(id: &str, on_error: &str) -> String {
    format!(
        r#"
id: {id}
name: Officers
description: Reads officers.
version: 1.0.0
required_connectors: [irs-990-xml]
execution_mode: deterministic
inputs:
  - {{name: filings, type: list, required: true}}
steps:
  - name: officers
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_officers
    inputs: {{source: "{{filings}}"}}
    on_error: {on_error}
  - name: counted
    step_type: tool
    action: transform_data
    inputs: {{data: [{{a: 1}}]}}
    operations: [{{type: limit, value: 1}}]
"#
    )
}

async fn reader() -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "irs-990-xml").await;
    (ana, agent)
}

fn hostile() -> Vec<(String, Vec<u8>)> {
    let bomb = r#"<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><Return>&b;</Return>"#;
    vec![
        ("bomb.xml".to_owned(), bomb.into()),
        ("truncated.xml".to_owned(), GOOD.as_bytes()[..GOOD.len() / 2].to_vec()),
        ("encoding.xml".to_owned(), b"<Return><A>\xff\xfe\xfa</A></Return>".to_vec()),
    ]
}

#[tokio::test]
async fn f_099_a_bad_file_among_good_ones_is_named_and_the_good_ones_are_read() {
    let (ana, agent) = reader().await;
    ana.playbook(&playbook("officers-mixed", "stop")).await;
    let mut files = hostile();
    files.push(("good.xml".to_owned(), GOOD.into()));
    let ids = upload(&ana, files).await;
    let run = ana.start(&agent, "officers-mixed", json!({ "filings": ids })).await;
    let done = ana.reaches(&run, "partial").await;
    assert_eq!(step(&done, "officers")["count"], 1);
    assert_eq!(step(&done, "officers")["code"], "PARTLY_DONE");
    let output = ana.get(&format!("/executions/{run}/outputs/officers")).await;
    let text = serde_json::to_string(&output).unwrap();
    for code in ["FILE_DTD_REFUSED", "FILE_TRUNCATED", "FILE_ENCODING"] {
        assert!(text.contains(code), "{code} is not reported in {output:#}");
    }
}

#[tokio::test]
async fn f_099_an_empty_file_is_uploaded_and_the_run_reports_it_by_name() {
    let (ana, agent) = reader().await;
    ana.playbook(&playbook("officers-empty", "stop")).await;
    let files = vec![("empty.xml".to_owned(), Vec::new()), ("good.xml".to_owned(), GOOD.into())];
    let ids = upload(&ana, files).await;
    let run = ana.start(&agent, "officers-empty", json!({ "filings": ids })).await;
    let done = ana.reaches(&run, "partial").await;
    assert_eq!(step(&done, "officers")["count"], 1);
    assert_eq!(step(&done, "officers")["code"], "PARTLY_DONE");
    let warnings = serde_json::to_string(&done["warnings"]).unwrap();
    assert!(warnings.contains("empty.xml") && warnings.contains("the file is empty"), "{warnings}");
}

const GRANTS_AND_PAY: &str = r#"
id: grants-and-pay
name: Grants and pay
description: Reads grants of some filings and who is paid most of others.
version: 1.0.0
required_connectors: [irs-990-xml]
execution_mode: deterministic
inputs:
  - {name: grants_of, type: list, required: true}
  - {name: pay_of, type: list, required: true}
steps:
  - name: grants
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_grants
    inputs: {source: "{grants_of}"}
  - name: pay
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_compensation
    inputs: {source: "{pay_of}"}
"#;

#[tokio::test]
async fn f_128_f_129_states_of_grants_of_2013_and_people_of_schedule_j_are_read() {
    let (ana, agent) = reader().await;
    ana.playbook(GRANTS_AND_PAY).await;
    let sample = |name: &str| {
        let file = world().project.join("library/filings").join(name);
        (name.to_owned(), std::fs::read(file).unwrap())
    };
    let grants_of = upload(&ana, vec![sample("pellworth-2013-990pf.xml")]).await;
    let pay_of = ["thornfield-2009-990.xml", "aldermoor-2012-990.xml", "dunmere-2024-990.xml"];
    let pay_of = upload(&ana, pay_of.map(sample).into()).await;
    let inputs = json!({ "grants_of": grants_of, "pay_of": pay_of });
    let run = ana.start(&agent, "grants-and-pay", inputs).await;
    ana.reaches(&run, "complete").await;
    let grants = ana.get(&format!("/executions/{run}/outputs/grants")).await;
    let grants = grants["output"]["results"].as_array().unwrap().iter();
    let states: Vec<&Value> = grants.map(|grant| &grant["recipient_state"]).collect();
    assert_eq!(json!(states), json!(["ME", "VT", "NH"]));
    let pay = ana.get(&format!("/executions/{run}/outputs/pay")).await;
    let paid = |name: &str| {
        let mut all = pay["output"]["results"].as_array().unwrap().iter();
        let one = all.find(|one| one["name"] == name).unwrap_or_else(|| panic!("{pay:#}"));
        json!([one["title"], one["total"]])
    };
    assert_eq!(paid("LEOPOLD G VANTERPOOL"), json!([null, 185_050]));
    assert_eq!(paid("EUPHEMIA GLASSCOCK"), json!(["CURATOR", 156_333]));
    assert_eq!(paid("MARIANNE TEASDALE-OKORO"), json!(["CEO", 329_600]));
}

#[tokio::test]
async fn k_50_a_file_that_cannot_be_read_ends_the_run_or_not_as_its_author_chose() {
    let (ana, agent) = reader().await;
    let ids = upload(&ana, hostile()).await;
    for (id, on_error, state) in
        [("officers-stop", "stop", "error"), ("officers-skip", "skip", "partial")]
    {
        ana.playbook(&playbook(id, on_error)).await;
        let run = ana.start(&agent, id, json!({ "filings": ids })).await;
        let done = ana.reaches(&run, state).await;
        assert_eq!(step(&done, "officers")["status"], "failed");
        assert!(step(&done, "officers")["code"].as_str().unwrap().starts_with("FILE_"));
        let expect = if on_error == "skip" { "done" } else { "not_run" };
        assert_eq!(step(&done, "counted")["status"], expect);
    }
}

#[tokio::test]
async fn k_92_a_file_that_is_too_large_is_refused_before_it_is_sent() {
    let ana = person("ana", &["global:analyst"]).await;
    let body = json!({ "files": [{ "name": "huge.xml", "size": 201 * 1024 * 1024 }] });
    assert_eq!(ana.refused("/uploads", Some(&body)).await.0, 422);
}

#[tokio::test]
async fn a_missing_input_is_refused_at_the_door() {
    let (ana, agent) = reader().await;
    ana.playbook(&playbook("officers-none", "stop")).await;
    let body = json!({ "profile": agent, "playbook": "officers-none", "inputs": {} });
    assert_eq!(ana.refused("/executions", Some(&body)).await.0, 422);
}
