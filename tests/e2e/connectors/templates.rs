//! Connectors that are shipped as templates, and what a connector is found by.

use serde_json::{Value, json};

use super::{shelf, status};
use crate::case::{FACTORY, Person, person, refusal};

const TEMPLATE: &str = "fec-contributions";

#[tokio::test]
async fn f_108_f_334_a_template_is_copied_edited_checked_and_removed() {
    let ana = person("ana", &["global:analyst"]).await;
    let (own, at) = (format!("/connectors/{TEMPLATE}"), format!("{FACTORY}/connectors/{TEMPLATE}"));
    let templates = ana.get("/connectors/templates?limit=100").await;
    let templates = templates["items"].as_array().unwrap();
    assert!(templates.iter().all(|one| one["is_template"] == true), "F-333");
    let shipped = templates.iter().find(|one| one["id"] == TEMPLATE).unwrap();
    assert_eq!(shipped["auth_fields"][0]["env_var"], "FEC_API_KEY");

    // F-108: what the deployment ships cannot be changed, and is valid as it stands.
    let before = ana.get(&own).await;
    let yaml = before["yaml"].as_str().unwrap();
    let locked = (403, "SYSTEM_TEMPLATE".to_owned());
    assert_eq!(status(ana.door.put(&at, &json!({ "yaml": yaml })).await), locked);
    assert_eq!(status(ana.door.delete(&at).await), locked);
    let verdict = ana.post(&format!("{own}/validate"), &json!({})).await;
    assert_eq!(verdict, json!({ "is_valid": true, "errors": [], "warnings": [] }), "F-332");
    let versions = ana.get(&format!("{own}/versions")).await;
    assert_eq!(versions["items"].as_array().unwrap().len(), 1);

    // F-334: the copy is one's own, and says what of the template it is not.
    let copy = ana.post(&format!("/connectors/from-template/{TEMPLATE}"), &json!({})).await;
    assert_eq!((&copy["is_template"], &copy["yaml"]), (&json!(false), &before["yaml"]));
    assert_eq!(
        copy["auth_fields"],
        json!([{ "name": "api_key", "label": "api.data.gov key", "type": "password" }])
    );
    assert_eq!(copy["warnings"][0]["rule"], "env_var", "{:#}", copy["warnings"]);
    assert_eq!(copy["warnings"].as_array().unwrap().len(), 1);
    assert!(!ana.get(&own).await["definition"].to_string().contains("FEC_API_KEY"));
    let gone = ana.refused("/connectors/from-template/no-such", Some(&json!({}))).await;
    assert_eq!(gone.0, 404);

    edited(&ana, &own, yaml).await;
    foreign(&own).await;

    ana.door.delete(&at).await.unwrap();
    assert_eq!(ana.get(&own).await["is_template"], true, "the shipped one is found again");
    assert_eq!(status(ana.door.delete(&at).await), locked, "F-330");
}

/// F-327, F-329, F-332, F-335: the copy under another text.
async fn edited(ana: &Person, own: &str, yaml: &str) {
    let at = format!("{FACTORY}{own}");
    let version = yaml.lines().find(|line| line.starts_with("version: ")).unwrap();
    let next = yaml.replace(version, "version: 9.0.0");
    let other = json!({ "yaml": next.replace("id: fec-contributions", "id: fec-of-mine") });
    assert_eq!(status(ana.door.put(&at, &other).await).0, 422);
    let broken = json!({ "yaml": next.replace("path: /schedules", "pth: /schedules") });
    let refused = status(ana.door.put(&at, &broken).await);
    assert_eq!(refused, (422, "CONNECTOR_INVALID".to_owned()));
    let verdict = ana.post(&format!("{own}/validate"), &broken).await;
    assert_eq!(verdict["is_valid"], false);
    assert!(verdict["errors"][0]["line"].is_number(), "{verdict:#}");
    let said = refusal(ana.door.post(&format!("{at}/validate"), &other).await);
    assert_eq!((said.status, said.places), (422, vec!["yaml".to_owned()]), "{}", said.said);
    ana.door.put(&at, &json!({ "yaml": next })).await.unwrap();
    assert_eq!(ana.get(own).await["version"], "9.0.0");
    let copy = format!("/connectors/from-template/{TEMPLATE}");
    let again = ana.refused(&copy, Some(&json!({}))).await;
    assert_eq!(again, (409, "NAME_TAKEN".to_owned()));
    let verdict = ana.post(&format!("{own}/validate"), &json!({})).await;
    assert_eq!(verdict["is_valid"], true, "{verdict:#}");
    let versions = ana.get(&format!("{own}/versions")).await;
    let versions: Vec<&Value> =
        versions["items"].as_array().unwrap().iter().map(|item| &item["version"]).collect();
    assert_eq!(versions, ["9.0.0", version.trim_start_matches("version: ")]);
    let schema = ana.get(&format!("{own}/schema")).await;
    let search = &schema[0];
    assert_eq!(search["name"], "search_contributions");
    assert_eq!(search["output_schema"]["type"], "record_set");
    assert_eq!(search["output_schema"]["fields"][0]["name"], "donor_name");
    assert_eq!(search["inputs"][0]["name"], "contributor_name");
    let tool = &search["tool"];
    assert_eq!(tool["name"], "fec-contributions__search_contributions", "F-093");
    assert_eq!(tool["input_schema"]["properties"]["min_amount"]["type"], "number");
}

/// Somebody else finds the template under the id of a copy, and nothing where there is no template.
async fn foreign(own: &str) {
    let (_source, ana) = shelf("{type: none}").await;
    let bob = person("bob", &["global:analyst"]).await;
    assert_eq!(bob.get(own).await["is_template"], true);
    for path in ["", "/schema", "/versions", "/health"] {
        let path = format!("/connectors/shelf{path}");
        assert_eq!(bob.refused(&path, None).await.0, 404, "{path}");
    }
    assert_eq!(bob.refused("/connectors/shelf/validate", Some(&json!({}))).await.0, 404);
    let (at, text) = (format!("{FACTORY}/connectors/shelf"), ana.get("/connectors/shelf").await);
    let body = json!({ "yaml": text["yaml"] });
    assert_eq!(status(bob.door.put(&at, &body).await), (404, "NOT_FOUND".to_owned()));
    assert_eq!(status(bob.door.delete(&at).await).0, 404);
    for taken in ["templates", "from-template"] {
        let yaml = text["yaml"].as_str().unwrap().replace("id: shelf", &format!("id: {taken}"));
        let refused = bob.refused("/connectors", Some(&json!({ "yaml": yaml }))).await;
        assert_eq!(refused, (422, "CONNECTOR_INVALID".to_owned()), "{taken}");
    }
}

#[tokio::test]
async fn f_106_f_410_connectors_have_versions_categories_and_tags() {
    let (source, ana) = shelf("{type: none}").await;
    let next = json!({ "yaml": source.yaml("{type: none}", "1.1.0") });
    ana.door.put(&format!("{FACTORY}/connectors/shelf"), &next).await.unwrap();
    let versions = ana.get("/connectors/shelf/versions").await;
    let versions: Vec<&Value> =
        versions["items"].as_array().unwrap().iter().map(|item| &item["version"]).collect();
    assert_eq!(versions, ["1.1.0", "1.0.0"]);
    for (filter, count) in [
        ("tag=shelves", 1),
        ("category=corporate&from=own", 1),
        ("tag=none&from=own", 0),
        ("kind=rest_api&from=own", 1),
        ("kind=database&from=own", 0),
    ] {
        let page = ana.get(&format!("/connectors?{filter}")).await;
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{filter}: {page:#}");
    }
    // What cannot be is refused: an empty list would say that nobody has one.
    for (path, place) in [
        ("connectors?kind=rest-api", "kind"),
        ("connectors/templates?from=own", "from"),
        ("profiles?kind=on", "kind"),
    ] {
        let said = refusal(ana.door.get(&format!("{FACTORY}/{path}")).await);
        assert_eq!((said.status, said.places), (422, vec![place.to_owned()]), "{}", said.said);
    }
    // Filtered pages are filled by reading on: the first with the tag is not the first of all.
    let page = ana.get("/connectors?from=system&tag=messages&limit=2").await;
    let items = page["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["id"]), (2, &json!("discord")), "{page:#}");
    let next = page["next"].as_str().expect("more have the tag");
    let other = format!("/connectors?from=system&tag=government&limit=2&cursor={next}");
    assert_eq!(ana.refused(&other, None).await.0, 400, "a cursor belongs to its filters");
}
