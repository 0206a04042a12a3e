//! The sample filings, read by the shipped connector and by a program of another language with tables of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use super::*;

const ENDPOINTS: [&str; 4] =
    ["parse_990", "parse_990_officers", "parse_990_compensation", "parse_990_grants"];
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The records of every endpoint of every file.
type Reading = BTreeMap<String, BTreeMap<String, Vec<Map<String, Value>>>>;

/// Those of the library, and more for what these do not have in each generation of names.
fn samples() -> Vec<PathBuf> {
    let folders = ["library/filings", "tests/second_reading/filings"];
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "xml"))
        .collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// Python with the standard library: that of the test environment, or the machine's.
fn python() -> PathBuf {
    let environment = std::env::var_os("COUNTERSIGN_VENV").map(PathBuf::from);
    let own = environment.map(|folder| folder.join("bin/python")).filter(|path| path.is_file());
    own.unwrap_or_else(|| PathBuf::from("python3"))
}

fn second_reading(files: &[PathBuf]) -> Reading {
    let program = Path::new(ROOT).join("tests/second_reading/read_990.py");
    let output = Command::new(python()).arg(program).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn world(files: &[PathBuf]) -> World {
    files.iter().zip(1_u8..).fold(World::new(FILINGS), |world, (path, n)| {
        world.in_folder("samples", n, &name(path), std::fs::read(path).unwrap())
    })
}

async fn first_reading(files: &[PathBuf]) -> Reading {
    let empty = || ENDPOINTS.map(|endpoint| (endpoint.to_owned(), Vec::new())).into();
    let mut reading: Reading = files.iter().map(|path| (name(path), empty())).collect();
    for endpoint in ENDPOINTS {
        let call = call_of("irs-990-xml", endpoint, json!({ "source": "folders/samples" }));
        let output = run(world(files), &call).await.unwrap();
        assert_eq!(output["errors"], json!([]), "{endpoint}");
        assert_eq!(output["warnings"], json!([]), "{endpoint}");
        for record in output["results"].as_array().unwrap() {
            let file = record["_source_name"].as_str().unwrap();
            let records = reading.get_mut(file).unwrap().get_mut(endpoint).unwrap();
            records.push(own_fields(record));
        }
    }
    reading
}

/// What was compared, and where the two differ.
#[derive(Default)]
struct Comparison {
    fields: usize,
    values: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn of(one: &Reading, other: &Reading) -> Self {
        let mut comparison = Self::default();
        comparison.same("the files", &one.keys().collect::<Vec<_>>(), &other.keys().collect());
        for (file, endpoints) in one {
            for (endpoint, records) in endpoints {
                let others = other.get(file).and_then(|all| all.get(endpoint));
                comparison.records(
                    &format!("{file} {endpoint}"),
                    records,
                    others.map_or(&[], Vec::as_slice),
                );
            }
        }
        comparison
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, one: &T, other: &T) {
        if one != other {
            self.differences.push(format!("{what}: {one:?} and {other:?}"));
        }
    }

    fn records(&mut self, place: &str, one: &[Map<String, Value>], other: &[Map<String, Value>]) {
        self.same(&format!("{place}: how many"), &one.len(), &other.len());
        for (n, (a, b)) in one.iter().zip(other).enumerate() {
            let fields: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for field in fields {
                self.fields += 1;
                self.values += usize::from(a.get(field).is_some_and(|value| !value.is_null()));
                self.same(&format!("{place}[{n}].{field}"), &a.get(field), &b.get(field));
            }
        }
    }
}

#[tokio::test]
async fn f_124_every_field_of_every_sample_is_what_a_second_reading_finds() {
    let files = samples();
    let mut other = second_reading(&files);
    let one = first_reading(&files).await;
    let comparison = Comparison::of(&one, &other);
    assert!(comparison.differences.is_empty(), "{:#?}", comparison.differences);
    // So that it cannot pass by comparing little.
    assert!(comparison.fields >= 5_500, "{} fields", comparison.fields);
    assert!(comparison.values >= 4_400, "{} fields with a value", comparison.values);
    let grants = other.get_mut("pellworth-2013-990pf.xml").unwrap();
    grants.get_mut("parse_990_grants").unwrap()[1]["grant_amount"] = json!(1);
    assert_eq!(Comparison::of(&one, &other).differences.len(), 1, "a difference goes unseen");
}

/// The form and the years of a schema with names of its own.
fn generation(path: &Path) -> (String, &'static str) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let version = text.split("returnVersion=\"").nth(1).unwrap();
    let year: u32 = version[..4].parse().unwrap();
    let form = name(path).rsplit_once('-').unwrap().1.trim_end_matches(".xml").to_owned();
    (
        form,
        if year < 2013 {
            "until 2012"
        } else if year == 2013 {
            "2013"
        } else {
            "since 2014"
        },
    )
}

#[test]
fn f_124_the_samples_cover_every_form_in_every_generation_of_names() {
    let covered: BTreeSet<(String, &str)> = samples().iter().map(|path| generation(path)).collect();
    let mut expect: BTreeSet<(String, &str)> = ["990", "990ez", "990pf"]
        .iter()
        .flat_map(|form| {
            ["until 2012", "2013", "since 2014"].map(|years| ((*form).to_owned(), years))
        })
        .collect();
    expect.insert(("990t".to_owned(), "since 2014"));
    assert_eq!(covered, expect);
}

#[test]
fn f_128_f_129_the_samples_have_every_list_of_people_and_places_abroad_in_every_generation() {
    let has = |path: &PathBuf, words: &[&str]| {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        words.iter().any(|word| text.contains(word))
    };
    let paid = ["<CompensationHighestPaidEmplGrp>", "<CompensationOfHighestPaidEmpl>"];
    let abroad = ["<RecipientForeignAddress>", "<ForeignAddress>", "<AddressForeign>"];
    for (form, words) in
        [("990ez", &paid[..]), ("990pf", &paid), ("990", &abroad), ("990pf", &abroad)]
    {
        for years in ["until 2012", "2013", "since 2014"] {
            let mut own = samples();
            own.retain(|path| generation(path) == (form.to_owned(), years));
            assert!(own.iter().any(|path| has(path, words)), "{form} {years}: {words:?}");
        }
    }
}

#[tokio::test]
async fn f_129_states_of_2013_grants_are_read() {
    let world = World::new(FILINGS).file(7, "pellworth.xml", filing!("pellworth-2013-990pf"));
    let call = call_of("irs-990-xml", "parse_990_grants", json!({ "source": file_id(7).as_str() }));
    let output = run(world, &call).await.unwrap();
    let states: Vec<_> =
        output["results"].as_array().unwrap().iter().map(|r| &r["recipient_state"]).collect();
    assert_eq!(states, ["ME", "VT", "NH"]);
}

#[tokio::test]
async fn f_128_people_of_schedule_j_are_read_in_all_generations() {
    for (sample, name, title, total) in [
        (filing!("thornfield-2009-990"), "LEOPOLD G VANTERPOOL", Value::Null, 185_050),
        (filing!("aldermoor-2012-990"), "EUPHEMIA GLASSCOCK", json!("CURATOR"), 156_333),
        (filing!("dunmere-2024-990"), "MARIANNE TEASDALE-OKORO", json!("CEO"), 329_600),
    ] {
        let world = World::new(FILINGS).file(7, "a.xml", sample);
        let inputs = json!({ "source": file_id(7).as_str() });
        let output =
            run(world, &call_of("irs-990-xml", "parse_990_compensation", inputs)).await.unwrap();
        let first = &output["results"][0];
        let expect = json!({ "name": name, "title": title, "total": total });
        assert_eq!(
            json!({ "name": first["name"], "title": first["title"], "total": first["total"] }),
            expect
        );
    }
}
