//! Files.

use countersign_failure::Class;
use serde_json::json;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

#[tokio::test]
async fn f_128_an_upload_is_read_with_its_provenance() {
    let world = World::new(FILINGS).file(7, "willow.xml", filing!("willow-creek-2021-990ez"));
    let output = run(world, &officers(json!(file_id(7).as_str()))).await.unwrap();
    assert_eq!(
        (&output["count"], &output["has_more"], &output["files_read"]),
        (&json!(5), &json!(false), &json!(1))
    );
    let first = &output["results"][0];
    assert_eq!(own_fields(first)["name"], "Margaret Thornquist");
    let expect = json!({
        "_source": "irs-990-xml", "_endpoint": "parse_990_officers", "_source_ref": file_id(7).as_str(),
        "_source_name": "willow.xml", "_retrieved_at": "2026-03-04T05:06:07Z", "_entity_type": "nonprofit_officer",
        "_entity_rules": [
            { "field": "name", "entity_type": "PERSON", "relationship_type": "OFFICER_OF" },
            { "field": "organization_name", "entity_type": "ORG" },
        ],
    });
    for (key, value) in expect.as_object().unwrap() {
        assert_eq!(&first[key], value, "{key}");
    }
}

#[tokio::test]
async fn f_042_the_output_has_exactly_the_contracts_slots() {
    let world = World::new(FILINGS).file(7, "a.xml", filing!("tidewater-2022-990ez"));
    let output = run(world, &officers(json!([file_id(7).as_str()]))).await.unwrap();
    let definition = countersign_connector::parse(FILINGS).definition.unwrap();
    let contract =
        countersign_connector::endpoint_contract(&definition, "parse_990_officers").unwrap();
    let mut slots: Vec<&str> = contract.outputs.iter().map(|slot| slot.name.as_str()).collect();
    let mut keys: Vec<&str> = output.as_object().unwrap().keys().map(String::as_str).collect();
    slots.sort_unstable();
    keys.sort_unstable();
    assert_eq!(keys, slots);
}

#[tokio::test]
async fn f_091_of_files_too_an_expected_field_that_is_empty_everywhere_is_said() {
    let renamed = FILINGS
        .replace("expected_fields: [name]", "expected_fields: [name, title]")
        .replace("xpath: TitleTxt | Title,", "xpath: TitleText,");
    let world = World::new(&renamed).file(7, "a.xml", filing!("willow-creek-2021-990ez"));
    let output = run(world, &officers(json!(file_id(7).as_str()))).await.unwrap();
    let said = "field `title` is empty in all 5 records: the source may have renamed it, or its path is wrong";
    assert_eq!(output["warnings"], json!([{ "message": said }]));
}

#[tokio::test]
async fn f_099_one_bad_file_of_many_is_reported_and_the_rest_is_read() {
    let cut = filing!("harborlight-2021-990")[..5_000].to_vec();
    let world = World::new(FILINGS)
        .in_folder("spring", 1, "a.xml", filing!("tidewater-2022-990ez"))
        .in_folder("spring", 2, "cut.xml", cut)
        .in_folder(
            "spring",
            3,
            "bomb.xml",
            b"<!DOCTYPE a [<!ENTITY b 'c'>]><Return>&b;</Return>".to_vec(),
        )
        .in_folder("spring", 4, "notes.pdf", b"%PDF".to_vec())
        .in_folder("spring", 5, "z.xml", filing!("copperleaf-2020-990ez"));
    let output = run(world, &officers(json!("folders/spring"))).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(7), &json!(2)));
    let codes: Vec<_> = output["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["name"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        codes,
        [
            ("cut.xml", "FILE_TRUNCATED"),
            ("bomb.xml", "FILE_DTD_REFUSED"),
            ("notes.pdf", "FILE_FORMAT")
        ]
    );
}

#[tokio::test]
async fn f_099_an_error_says_what_to_do_about_its_file() {
    let world = World::new(FILINGS).in_folder("scans", 1, "a.pdf", b"%PDF".to_vec());
    let error = run(world, &officers(json!("folders/scans"))).await.unwrap_err();
    assert!(error.message.starts_with("the file could not be read: `a.pdf`: "), "{error}");
    let help = "name a file of such a format, or use a connector that reads this one";
    assert_eq!(error.help.as_deref(), Some(help));
}

#[tokio::test]
async fn f_099_what_cannot_be_read_is_named_once_with_its_reason_and_nothing_else_is_lost() {
    let world = World::new(FILINGS)
        .in_folder("spring", 1, "a.xml", filing!("tidewater-2022-990ez"))
        .in_folder("spring", 2, "empty.xml", Vec::new())
        .in_folder("spring", 3, "feed.xml", b"<rss><channel/></rss>".to_vec())
        .in_folder("spring", 4, "scan.xml", b"%PDF-1.7 scan".to_vec())
        .in_folder("spring", 5, "z.xml", filing!("copperleaf-2020-990ez"));
    let missing = file_id(9);
    // The folder twice, and one file of it: each file is read once.
    let source = json!([
        "folders/spring",
        format!("folders/spring/{}", file_id(2)),
        missing.as_str(),
        "folders/spring"
    ]);
    let output = run(world, &officers(source)).await.unwrap();
    assert_eq!(
        (&output["count"], &output["files_read"], &output["files_failed"]),
        (&json!(7), &json!(2), &json!(4))
    );
    let said: Vec<_> = output["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["name"].as_str().unwrap(), error["message"].as_str().unwrap()))
        .collect();
    assert_eq!(
        said,
        [
            ("empty.xml", "the file is empty"),
            (
                "feed.xml",
                "the document element is `rss`, not `Return`: this is another kind of file"
            ),
            (
                "scan.xml",
                "the file is not XML: at line 1, column 14 there is `%PDF-1.7 scan` where an element should start"
            ),
            (missing.as_str(), "there is no such file"),
        ]
    );
    assert_eq!(output["file_notes"], json!([]));
}

#[tokio::test]
async fn f_128_a_filing_without_officers_says_so() {
    let world = World::new(FILINGS)
        .in_folder("spring", 1, "a.xml", filing!("tidewater-2022-990ez"))
        .in_folder("spring", 2, "larkmoor.xml", filing!("larkmoor-2022-990t"));
    let output = run(world, &officers(json!("folders/spring"))).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(4), &json!(2)));
    let expect = json!([{
        "file": file_id(2).as_str(),
        "name": "larkmoor.xml",
        "message": "the file was read and has no entries of the kind `nonprofit officer`",
    }]);
    assert_eq!((&output["errors"], &output["file_notes"]), (&json!([]), &expect));
}

#[tokio::test]
async fn f_311_two_files_of_one_name_are_said() {
    let world = World::new(FILINGS)
        .in_folder("spring", 1, "a.xml", filing!("tidewater-2022-990ez"))
        .in_folder("spring", 2, "a.xml", filing!("copperleaf-2020-990ez"));
    let output = run(world, &officers(json!("folders/spring"))).await.unwrap();
    let warning =
        json!({"name": "a.xml", "message": "2 files have this name, and all of them are read"});
    assert_eq!(output["warnings"][0], warning);
}

#[tokio::test]
async fn f_099_one_file_of_a_folder_is_named_with_its_folder() {
    let world = || {
        World::new(FILINGS)
            .in_folder("spring", 1, "a.xml", filing!("tidewater-2022-990ez"))
            .in_folder("spring", 2, "b.xml", filing!("copperleaf-2020-990ez"))
    };
    let (one, other) = (file_id(1), file_id(9));
    let output = run(world(), &officers(json!(format!("folders/spring/{one}")))).await.unwrap();
    assert_eq!(
        (&output["files_read"], &output["results"][0]["_source_name"]),
        (&json!(1), &json!("a.xml"))
    );
    let given = json!([{ "source": format!("folders/spring/{one}"), "file_id": one.as_str() }]);
    assert_eq!(run(world(), &officers(given)).await.unwrap()["files_read"], 1);
    for missing in [one.to_string(), format!("folders/spring/{other}"), "folders/autumn".to_owned()]
    {
        let error = run(world(), &officers(json!(missing))).await.unwrap_err();
        assert_eq!(error.code, "CONNECTOR_SOURCE");
        let words = if missing == "folders/autumn" {
            "a folder without files"
        } else {
            "was never uploaded"
        };
        assert!(error.message.contains(words), "{error}");
    }
}

#[tokio::test]
async fn f_099_when_nothing_can_be_read_the_step_fails() {
    let id = || json!(file_id(7).as_str());
    check(
        World::new(FILINGS).file(7, "a.xml", b"<Return><a>".to_vec()),
        &officers(id()),
        "FILE_TRUNCATED",
    )
    .await;
    let large = World::new(FILINGS)
        .file(7, "a.xml", vec![b' '; 2 * 1024 * 1024])
        .bind(|binding| binding.config_overrides.max_file_size_mb = Some(1));
    check(large, &officers(id()), "FILE_TOO_LARGE").await;
    let broken = World {
        broken: true,
        ..World::new(FILINGS).file(7, "a.xml", filing!("tidewater-2022-990ez"))
    };
    let error = run(broken, &officers(id())).await.unwrap_err();
    assert_eq!((error.code, error.class), ("FILE_SOURCE", Class::Retryable), "{error}");
}

#[tokio::test]
async fn f_099_when_no_file_can_be_read_the_error_names_each_with_its_reason() {
    let mut world = World::new(FILINGS)
        .in_folder("bad", 1, "cut.xml", b"<Return><a>".to_vec())
        .in_folder("bad", 2, "empty.xml", Vec::new());
    let error = run(world, &officers(json!("folders/bad"))).await.unwrap_err();
    assert_eq!(error.code, "FILE_TRUNCATED");
    assert!(error.message.starts_with("none of 2 files could be read: `cut.xml`: "), "{error}");
    assert!(error.message.ends_with("; `empty.xml`: the file is empty"), "{error}");
    world = (1..=12).fold(World::new(FILINGS), |world, n| {
        world.in_folder("bad", n, &format!("{n:02}.xml"), Vec::new())
    });
    let error = run(world, &officers(json!("folders/bad"))).await.unwrap_err();
    assert!(error.message.contains("`10.xml`") && !error.message.contains("`11.xml`"), "{error}");
    assert!(error.message.ends_with("; and 2 more"), "{error}");
}

#[tokio::test]
async fn f_005_files_of_others_do_not_exist() {
    let world = || World::new(FILINGS).file(7, "a.xml", filing!("tidewater-2022-990ez"));
    check(world(), &officers(json!(file_id(8).as_str())), "CONNECTOR_SOURCE").await;
    for source in [
        "../../uploads",
        "folders/../x",
        "folders/",
        "folders/a/b",
        "",
        "https://example.com/a.xml",
        "/etc/passwd",
    ] {
        check(world(), &officers(json!(source)), "CONNECTOR_SOURCE").await;
    }
    check(world(), &officers(json!([])), "CONNECTOR_ARGUMENT").await;
    check(world(), &officers(json!(7)), "CONNECTOR_ARGUMENT").await;
    let other = Call { owner: user(2), ..officers(json!(file_id(7).as_str())) };
    check(world(), &other, "CONNECTOR_UNKNOWN").await;
}

#[tokio::test]
async fn f_008_bindings_decide_what_may_be_called() {
    let call = officers(json!(file_id(7).as_str()));
    check(World { binding: None, ..World::new(FILINGS) }, &call, "CONNECTOR_NOT_BOUND").await;
    check(
        World::new(FILINGS).bind(|binding| binding.is_enabled = false),
        &call,
        "CONNECTOR_DISABLED",
    )
    .await;
    let only = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    check(
        World::new(FILINGS)
            .bind(|binding| binding.permissions.allowed_endpoints = only(&["parse_990"])),
        &call,
        "CONNECTOR_ENDPOINT_NOT_ALLOWED",
    )
    .await;
    check(
        World::new(FILINGS).bind(|binding| binding.permissions.allowed_endpoints = only(&[])),
        &call,
        "CONNECTOR_ENDPOINT_NOT_ALLOWED",
    )
    .await;
    check(
        World::new(FILINGS),
        &call_of("irs-990-xml", "nope", json!({})),
        "CONNECTOR_ENDPOINT_UNKNOWN",
    )
    .await;
    check(World::new(FILINGS), &call_of("nope", "parse_990", json!({})), "CONNECTOR_UNKNOWN").await;
    check(World::new(FILINGS), &call_of("No Such", "parse_990", json!({})), "CONNECTOR_UNKNOWN")
        .await;
}

#[tokio::test]
async fn f_099_a_url_is_read_through_the_guard() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/a.xml"))
        .respond_with(ResponseTemplate::new(200).set_body_bytes(filing!("tidewater-2022-990ez")))
        .mount(&server)
        .await;
    let yaml = FILINGS.replace("source: upload", "source: url");
    let address = format!("{}/a.xml?key=s3cr3t", server.uri());
    let output = run(World::new(&yaml), &officers(json!(address.clone()))).await.unwrap();
    assert_eq!(
        (&output["count"], &output["results"][0]["_source_name"]),
        (&json!(4), &json!("a.xml"))
    );
    assert!(!output.to_string().contains("s3cr3t"));
    let missing = officers(json!(format!("{}/no.xml", server.uri())));
    check(World::new(&yaml), &missing, "CONNECTOR_REFUSED").await;
    check(World::new(&yaml), &officers(json!("https://10.0.0.1/a.xml")), "EGRESS_REFUSED").await;
}

#[tokio::test]
async fn f_099_a_directory_is_read_whole() {
    let yaml = FILINGS.replace("source: upload", "source: directory");
    let world = World::new(&yaml)
        .in_folder("all", 1, "a.xml", filing!("st-brannoc-2021-990"))
        .in_folder("all", 2, "b.xml", filing!("aldermoor-2012-990"))
        .file(3, "not-in-it.xml", filing!("tidewater-2022-990ez"));
    let output = run(world, &officers(json!("all"))).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(137), &json!(2)));
}
