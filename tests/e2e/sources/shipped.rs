//! Every endpoint of the shipped connectors that ask an API.

use countersign_connector::{Connection, claims};
use serde_json::{Map, Value, json};
use url::Url;

use super::{Served, Template, accept, bind, bind_with, calling, copy, found};
use crate::case::{Person, person};

/// Runs every endpoint of these connectors; what each gave.
async fn all(id: &str, connectors: &[&str]) -> Value {
    let templates: Vec<Template> = connectors.iter().map(|id| Template::read(id)).collect();
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let mut served = Vec::new();
    for template in &templates {
        let provider = template.served().await;
        if claims(&template.definition).next().is_some() {
            own_copy(&ana, &agent, template, &provider).await;
        } else {
            bind(&ana, &agent, template, &provider.server.uri()).await;
        }
        served.push(provider);
    }
    let each: Vec<&Template> = templates.iter().collect();
    ana.playbook(&calling(id, &each)).await;
    let run = ana.start(&agent, id, json!({})).await;
    let ended = ana.reaches(&run, "complete").await;
    let mut gave = Map::new();
    for (template, provider) in templates.iter().zip(&served) {
        assert_eq!(provider.unexpected(), Vec::<String>::new(), "{}: {ended:#}", template.id());
        gave.insert(template.id().to_owned(), found(&ana, &run, template).await);
    }
    gave.into()
}

/// A template whose searches are POST counts as reading at the address it ships with; elsewhere, an administrator says so.
async fn own_copy(ana: &Person, agent: &str, template: &Template, provider: &Served) {
    let address = match &template.definition.connection {
        Connection::RestApi(rest) => &rest.base_url,
        Connection::Graphql(graphql) => &graphql.endpoint,
        other => panic!("nothing is posted by {other:?}"),
    };
    let origin = Url::parse(address).unwrap().origin().ascii_serialization();
    let moved = template.yaml.replace(&origin, &provider.server.uri());
    copy(ana, template, &moved).await;
    accept(ana, template.id()).await;
    bind_with(ana, agent, template, &json!({})).await;
}

#[tokio::test]
async fn f_109_f_110_f_111_money_nonprofits_and_filings_answer_as_they_document() {
    let connectors =
        ["fec-contributions", "propublica-nonprofit", "sec-edgar", "sec-edgar-filings"];
    insta::assert_json_snapshot!("tier_1", all("read-tier-1", &connectors).await);
}

#[tokio::test]
async fn f_112_f_113_donors_and_awards_answer_as_they_document() {
    insta::assert_json_snapshot!("money", all("read-money", &["opensecrets", "usaspending"]).await);
}

#[tokio::test]
async fn f_114_f_115_companies_and_entities_answer_as_they_document() {
    let connectors = ["opencorporates", "wikidata", "wikidata-entities"];
    insta::assert_json_snapshot!("tier_2", all("read-tier-2", &connectors).await);
}

#[tokio::test]
async fn f_117_f_118_f_119_rules_bills_and_opinions_answer_as_they_document() {
    let connectors = ["federal-register", "congress-gov", "courtlistener"];
    insta::assert_json_snapshot!("tier_3", all("read-tier-3", &connectors).await);
}

#[tokio::test]
async fn f_097_f_123_repositories_and_members_answer_as_they_document() {
    insta::assert_json_snapshot!("github", all("read-github", &["github-repos"]).await);
}

/// The shipped sources of each tier, the first first.
const TIERS: [&[&str]; 4] = [
    &["fec-contributions", "propublica-nonprofit", "sec-edgar", "opensecrets", "usaspending"],
    &["opencorporates", "wikidata", "dnb-direct-plus"],
    &["federal-register", "federal-register-rss", "congress-gov", "courtlistener"],
    &["state-corporate-registries", "state-campaign-finance", "state-lobbying"],
];

#[tokio::test]
async fn f_130_the_sources_of_every_tier_are_there_to_be_bound() {
    let ana = person("ana", &["global:analyst"]).await;
    let page = ana.get("/connectors/templates?limit=100").await;
    let has = |id: &&&str| page["items"].as_array().unwrap().iter().any(|one| one["id"] == **id);
    for (tier, sources) in TIERS.iter().enumerate() {
        let missing: Vec<_> = sources.iter().filter(|id| !has(id)).collect();
        assert!(missing.is_empty(), "tier {}: {missing:?}", tier + 1);
    }
}
