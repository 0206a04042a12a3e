//! The main job: filings in, a signature, a report out.

use serde_json::{Value, json};

use crate::case::{PATIENCE, Person, person, step, until};
use crate::filings::{GOOD, upload};
use crate::library::in_words;
use crate::world::world;

/// Every sample filing, uploaded.
async fn samples(owner: &Person) -> Vec<String> {
    let mut files = Vec::new();
    let mut folder: Vec<_> = std::fs::read_dir(world().project.join("library/filings"))
        .unwrap()
        .flatten()
        .map(|file| file.path())
        .collect();
    folder.sort();
    for path in
        folder.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "xml"))
    {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        files.push((name, std::fs::read(path).unwrap()));
    }
    assert!(files.len() >= 21, "{} sample filings", files.len());
    upload(owner, files).await
}

async fn start(owner: &Person, filings: &[String]) -> String {
    let body = json!({
        "profile": "nonprofit-investigator",
        "playbook": "officer-cross-reference",
        "inputs": { "filings": filings, "entity_name": "Sample filings" },
        "query": "who serves in more than one of these organisations?",
        "run_context": "interactive",
    });
    owner.post("/executions", &body).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn f_179_filings_become_a_signed_report() {
    let ana = person("ana", &["global:analyst", "decide"]).await;
    let filings = samples(&ana).await;
    let run = start(&ana, &filings).await;
    let waiting = ana.reaches(&run, "awaiting_approval").await;
    let page = ana.get("/executions").await;
    assert_eq!(page["items"][0]["status"], "awaiting_approval", "the list tells another story");
    assert!(
        step(&waiting, "compared")["count"].as_u64().unwrap() > 0,
        "nobody was found in two organisations"
    );
    apart(&ana, &run).await;
    for shelf in
        ["/documents?folder=nonprofit-investigations", "/workspaces/research/tables", "/exports"]
    {
        assert!(
            ana.get(shelf).await["items"].as_array().unwrap().is_empty(),
            "{shelf} was written before the signature"
        );
    }
    let approver = ana.approver();
    let link = approver.link(0, PATIENCE).await.unwrap();
    let page = approver.open(&link).await.unwrap();
    assert!(page.html.contains("sign_off"), "the page does not name the step");
    assert_eq!(approver.decide(&link, &page, "approve", "looks right").await.unwrap().status, 200);
    ana.reaches(&run, "complete").await;
    kept(&ana, &run, filings.len()).await;
}

#[tokio::test]
async fn f_099_f_311_what_is_no_filing_is_named_once_to_who_signs_and_in_the_report() {
    let ana = person("ana", &["global:analyst", "decide"]).await;
    let mut files = vec![
        ("empty.xml".to_owned(), Vec::new()),
        ("paper.xml".to_owned(), b"%PDF-1.7 and what follows".to_vec()),
        ("cut.xml".to_owned(), GOOD.as_bytes()[..GOOD.len() / 2].to_vec()),
    ];
    let folder = world().project.join("library/filings");
    for name in ["harborlight-2022-990.xml", "st-brannoc-2021-990.xml"] {
        files.push((name.to_owned(), std::fs::read(folder.join(name)).unwrap()));
    }
    let filings = upload(&ana, files).await;
    let run = start(&ana, &filings).await;
    ana.reaches(&run, "awaiting_approval").await;
    let approver = ana.approver();
    let link = approver.link(0, PATIENCE).await.unwrap();
    let page = approver.open(&link).await.unwrap();
    for (file, why) in [("empty.xml", "empty"), ("paper.xml", "PDF"), ("cut.xml", "cut off")] {
        assert_eq!(page.html.matches(file).count(), 1, "{file}: {}", page.html);
        let (_, after) = page.html.split_once(file).unwrap();
        let line = after.split('<').next().unwrap();
        assert!(line.contains(why), "{file}: {line}");
    }
    assert_eq!(approver.decide(&link, &page, "approve", "the rest").await.unwrap().status, 200);
    ana.reaches(&run, "partial").await;
    let documents = ana.get("/documents?folder=nonprofit-investigations").await;
    let id = documents["items"][0]["id"].as_str().unwrap().to_owned();
    let body = ana.get(&format!("/documents/{id}")).await;
    let unread = part(body["body"].as_str().unwrap(), "Files that could not be read");
    for file in ["empty.xml", "paper.xml", "cut.xml"] {
        assert_eq!(unread.matches(file).count(), 1, "{file}: {unread}");
    }
}

/// Two people of one name, each in a filing of their own, are not one before anybody has signed, and it is said why.
async fn apart(ana: &Person, run: &str) {
    let compared = ana.get(&format!("/executions/{run}/outputs/compared")).await;
    let compared = &compared["output"];
    let names = |pair: &Value| {
        [&pair["entity_a"]["name"], &pair["entity_b"]["name"]]
            .map(|name| name.as_str().unwrap_or_default().to_owned())
    };
    let matches = compared["matches"].as_array().unwrap_or_else(|| panic!("{compared:#}"));
    assert!(
        !matches.iter().any(|pair| names(pair).contains(&"MARTIN HALLOWELL".to_owned())),
        "namesakes were joined"
    );
    let doubtful = compared["doubtful"].as_array().unwrap();
    let why = doubtful
        .iter()
        .filter(|pair| names(pair).iter().all(|name| name == "MARTIN HALLOWELL"))
        .any(|pair| pair["why"].as_str().unwrap().starts_with("Same name, but different towns"));
    assert!(why, "the namesakes are not listed with the reason: {doubtful:#?}");
}

/// The part of a document under a heading of the second level.
fn part<'d>(document: &'d str, heading: &str) -> &'d str {
    let after = document.split(&format!("## {heading}\n")).nth(1);
    after
        .unwrap_or_else(|| panic!("no `{heading}` in\n{document}"))
        .split("\n## ")
        .next()
        .unwrap_or_default()
}

/// The report says who is in more than one organisation by person, the doubtful apart, in words people use.
fn agrees(report: &str) {
    let people = part(report, "People in more than one organisation");
    assert!(people.contains("THORNQUIST"), "the report does not name who serves twice");
    assert!(people.contains("### Cecily Ardwright"), "{people}");
    assert!(!people.contains("HALLOWELL"), "the report joins two people of one name:\n{people}");
    let doubtful = part(report, "To be checked by a person");
    assert!(
        doubtful.contains("HALLOWELL") && doubtful.contains("nobody has decided yet"),
        "{doubtful}"
    );
    assert!(
        part(report, "Filings without officers").contains("larkmoor-2022-990t.xml"),
        "{report}"
    );
    let plain = report.replace('\\', "");
    let sources = part(&plain, "Sources");
    let times: Vec<&str> =
        sources.split('|').map(str::trim).filter(|cell| cell.ends_with(" UTC")).collect();
    assert!(!times.is_empty(), "{sources}");
    // Such as `2026-11-24 09:30 UTC`: to the minute.
    let is_rounded = |time: &&str| time.len() == 20 && time.as_bytes()[13] == b':';
    assert!(times.iter().all(is_rounded), "{times:?}");
    assert!(part(&plain, "Organisations").contains("| $"), "{plain}");
    assert!(!plain.contains("fuzzy"), "{plain}");
    in_words(&plain);
}

/// The report, the rows, the file and the entry are there, and say what they should.
async fn kept(ana: &Person, run: &str, filings: usize) {
    let documents = ana.get("/documents?folder=nonprofit-investigations").await;
    let document = documents["items"][0].clone();
    let body = ana.get(&format!("/documents/{}", document["id"].as_str().unwrap())).await;
    agrees(body["body"].as_str().unwrap_or_else(|| panic!("{body:#}")));
    let tables = ana.get("/workspaces/research/tables").await;
    let table = tables["items"].as_array().unwrap().iter().find(|table| {
        table["table_name"] == "nonprofit_filings" || table["name"] == "nonprofit_filings"
    });
    let table = table.unwrap_or_else(|| panic!("no table in {tables:#}"));
    let rows = ana.get("/workspaces/research/tables/nonprofit_filings/rows?limit=100").await;
    let rows = rows["items"].as_array().unwrap();
    assert_eq!(rows.len(), filings, "{table:#}");
    for column in ["_source", "_query", "_timestamp"] {
        assert!(rows.iter().all(|row| has(row, column)), "a row lacks `{column}`");
    }
    assert_eq!(ana.get("/exports").await["items"].as_array().unwrap().len(), 1);
    let profile = ana.run(run).await["profile_id"].as_str().unwrap().to_owned();
    let entry = until("the journal entry", || async {
        let page = ana.get(&format!("/profiles/{profile}/journal")).await;
        page["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["execution_id"] == run && entry["origin"] == "run")
            .cloned()
    })
    .await;
    assert_eq!(entry["task_status"], "complete");
}

fn has(row: &Value, column: &str) -> bool {
    row.get(column)
        .or_else(|| row.get("values")?.get(column))
        .or_else(|| row.get("row")?.get(column))
        .is_some_and(|value| !value.is_null())
}
