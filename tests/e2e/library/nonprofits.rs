//! The shipped agents that read of boards and nonprofits.

use serde_json::{Value, json};

use super::{
    Gift, HOUSE, all_written, analyst, answers, asked, content, found, gift, opensecrets,
    otherwise, page, registries,
};
use crate::filings::upload;
use crate::provider_server;
use crate::world::world;

/// A position as OpenCorporates finds it by name.
fn position(name: &str, number: &str, of: &str, until: Option<&str>) -> Value {
    json!({ "officer": { "name": name, "position": "director", "start_date": "2015-01-01", "end_date": until, "jurisdiction_code": "gb", "company": { "name": of, "company_number": number, "jurisdiction_code": "gb", "opencorporates_url": format!("https://opencorporates.com/companies/gb/{number}") } } })
}

fn positions(found: &[Value]) -> Value {
    json!({ "results": { "officers": found, "page": 1, "per_page": 30, "total_pages": 1, "total_count": found.len() } })
}

#[tokio::test]
async fn f_181_f_182_boards_that_share_people_are_mapped_with_nonprofits_among_them() {
    let server = provider_server::start().await;
    registries(&server, &["MARGARET THORNQUIST", "JON QUILLFEATHER"]).await;
    let (ours, tools, mill) = (
        ("09900011", "OSTROM VANCE LTD"),
        ("09900077", "OSTROM TOOL WORKS LTD"),
        ("09900088", "OLD MILL LTD"),
    );
    let of = |name, (number, of): (&str, &str), until| position(name, number, of, until);
    let margaret = "MARGARET THORNQUIST";
    let found_by_name = [
        of(margaret, ours, None),
        of(margaret, tools, None),
        of(margaret, mill, Some("2019-01-01")),
    ];
    let at = "/officers/search";
    answers(&server, at, ("q", margaret), &positions(&found_by_name)).await;
    let jon = [of("JON QUILLFEATHER", ours, None), of("JON QUILLFEATHER", tools, None)];
    answers(&server, at, ("q", "JON QUILLFEATHER"), &positions(&jon)).await;
    let (ana, agent) = analyst("corporate-intelligence-analyst", &server).await;
    let filing = world().project.join("library/filings/willow-creek-2021-990ez.xml");
    let filings =
        upload(&ana, vec![("willow.xml".to_owned(), std::fs::read(filing).unwrap())]).await;
    let question = "Board interlocks of \"Ostrom Vance\"";
    let run = asked(&ana, &agent, question, &json!({ "filings": filings })).await;
    assert_eq!(run["playbook_id"], "board-interlock-mapping", "{run:#}");
    assert_eq!(found(&ana, &run, "positions").await["count"], 4, "an ended position counts");
    assert_eq!(found(&ana, &run, "interlocks").await["count"], 2);
    let shared = found(&ana, &run, "shared").await;
    assert_eq!(shared["data"][1]["people"], 2, "{shared:#}");
    let nonprofits = found(&ana, &run, "nonprofits").await;
    let organisation = &nonprofits["matches"][0]["entity_b"]["organization_name"];
    assert!(organisation.to_string().to_uppercase().contains("WILLOW CREEK"), "{nonprofits:#}");
    let said = content(&run);
    for part in ["OSTROM TOOL WORKS LTD", "In 2 companies"] {
        assert!(said.contains(part), "`{part}` is not in\n{said}");
    }
    assert!(!said.contains("OLD MILL"), "{said}");
    all_written(&run, &["chat", "document", "knowledge_graph"]);
}

#[tokio::test]
async fn f_179_f_182_a_nonprofit_is_described_with_its_years_grants_and_gifts() {
    let server = provider_server::start().await;
    let organization = json!({ "ein": 990_000_123, "strein": "99-0000123", "name": "Harborlight Community Foundation", "city": "Dayton", "state": "OH", "ntee_code": "P20", "subseccd": 3 });
    let list = json!({ "total_results": 1, "organizations": [organization], "num_pages": 1, "cur_page": 0, "per_page": 25 });
    answers(&server, "/search.json", ("q", "Harborlight Community Foundation"), &list).await;
    let one = json!({
        "organization": { "ein": 990_000_123, "name": "Harborlight Community Foundation", "city": "Dayton", "state": "OH", "ruling_date": "2009-05-01", "revenue_amount": 881_250, "asset_amount": 1_840_200 },
        "filings_with_data": [
            { "tax_prd_yr": 2021, "totrevenue": 700_000, "totfuncexpns": 650_000, "totassetsend": 1_500_000, "totliabend": 90_000, "pct_compnsatncurrofcr": 0.1, "compnsatncurrofcr": 65_000 },
            { "tax_prd_yr": 2022, "totrevenue": 881_250, "totfuncexpns": 790_100, "totassetsend": 1_840_200, "totliabend": 112_000, "pct_compnsatncurrofcr": 0.3, "compnsatncurrofcr": 237_030 },
        ],
        "filings_without_data": [],
    });
    otherwise(&server, "/organizations/990000123.json", &one).await;
    let of = |id, amount| {
        let employer = Some("HARBORLIGHT COMMUNITY FOUNDATION");
        gift(Gift {
            id,
            donor: "THORNQUIST, MARGARET E",
            employer,
            kind: "INDIVIDUAL",
            amount,
            day: "2024-05-01",
            to: HOUSE,
        })
    };
    let employer = ("contributor_employer", "Harborlight Community Foundation");
    answers(&server, "/schedules/schedule_a/", employer, &page(&[of(1, 500.0), of(2, 250.5)]))
        .await;
    otherwise(&server, "/schedules/schedule_a/", &page(&[])).await;
    let (ana, agent) = analyst("nonprofit-investigator", &server).await;
    let folder = world().project.join("library/filings");
    let files = ["harborlight-2022-990.xml", "st-brannoc-2021-990.xml"];
    let files = files.map(|name| (name.to_owned(), std::fs::read(folder.join(name)).unwrap()));
    let filings = upload(&ana, files.to_vec()).await;
    let question = "Look at the nonprofit \"Harborlight Community Foundation\"";
    opensecrets(&server, "Harborlight").await;
    let inputs = json!({ "filings": filings, "opensecrets_name": "Harborlight" });
    let run = asked(&ana, &agent, question, &inputs).await;
    assert_eq!(run["playbook_id"], "nonprofit-investigation", "{run:#}");
    let pay = found(&ana, &run, "high_pay").await;
    assert_eq!((&pay["count"], &pay["data"][0]["tax_year"]), (&json!(1), &json!(2022)), "{pay:#}");
    let gifts = found(&ana, &run, "given_by_its_people").await;
    assert_eq!(gifts["data"][0]["total"], "750.5", "{gifts:#}");
    assert_eq!(found(&ana, &run, "officers_who_give").await["count"], 1);
    let passed = found(&ana, &run, "passed_on").await;
    let through = &passed["matches"][0]["entity_a"]["recipient_name"];
    assert!(through.to_string().contains("ST BRANNOC"), "{passed:#}");
    let said = content(&run);
    for part in ["99-0000123", "$881,250", "$750.50", "## Grants that are passed on", "D000099001"]
    {
        assert!(said.contains(part), "`{part}` is not in\n{said}");
    }
    all_written(&run, &["chat", "document", "data_workspace_table", "knowledge_graph"]);
    let rows = ana.get("/workspaces/research/tables/nonprofit_filings/rows?limit=100").await;
    assert_eq!(rows["items"].as_array().unwrap().len(), 2, "{rows:#}");
}
