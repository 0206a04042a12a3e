//! Every example in the documents is right as it stands: YAML is read as the kind it is, requests are asked of the OpenAPI document,
//! commands are parsed by the command line. Needs no stack.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot read the documents shall say where"
)]

mod assurance;
mod blocks;
mod commands;
mod functions;
mod python;
mod requests;
mod yaml;

use blocks::{Block, blocks, spans};

/// Checks every block that one of the checks takes; what is wrong with them, with their places.
fn wrong(check: impl Fn(&Block) -> Option<Result<(), String>>) -> (usize, Vec<String>) {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for block in blocks() {
        let Some(outcome) = check(&block) else { continue };
        seen += 1;
        wrong.extend(outcome.err().map(|why| format!("{}: {why}", block.place)));
    }
    (seen, wrong)
}

#[track_caller]
fn none((seen, wrong): (usize, Vec<String>), at_least: usize) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(seen >= at_least, "only {seen} examples were found");
}

#[test]
fn every_count_of_hostile_cases_is_the_one_that_its_test_asserts() {
    let (seen, wrong) = assurance::counts();
    none((seen, wrong), 11);
}

#[test]
fn f_107_f_153_every_yaml_in_the_documents_is_valid() {
    none(wrong(yaml::check), 17);
}

#[test]
fn an_example_with_the_name_of_something_shipped_is_found() {
    for taken in ["id: officer-cross-reference\nsteps:\n", "handle: nonprofit-investigator\n"] {
        let said = yaml::own_name(taken).unwrap_err();
        assert!(said.contains("choose another"), "{said}");
    }
    assert_eq!(yaml::own_name("id: officers-of-mine\nname: id\n"), Ok(()));
}

#[test]
fn every_request_in_the_documents_is_one_of_the_api() {
    none(wrong(requests::check), 6);
}

#[test]
fn every_command_in_the_documents_is_one_of_the_command_line() {
    none(wrong(commands::check), 8);
}

#[test]
fn every_answer_in_the_documents_is_json() {
    none(wrong(requests::answers), 1);
}

#[test]
fn every_block_in_the_documents_is_of_a_kind_that_is_checked() {
    // Programs are run by `infra/cli/tests`; `text` is what a program prints or a drawing; SQL is for a database of one's own.
    let known = ["yaml", "json", "python", "sql", "text"];
    let is_checked = |block: &Block| {
        let by_lines = commands::check(block).is_some() || requests::check(block).is_some();
        let is_known = known.contains(&block.language.as_str()) || by_lines;
        Some(if is_known { Ok(()) } else { Err(format!("what is `{}`?", block.text.trim())) })
    };
    none(wrong(is_checked), 40);
}

#[test]
fn every_address_and_command_that_a_sentence_names_exists() {
    let spans = spans();
    let checked = spans.iter().filter_map(|(place, text)| {
        let outcome = requests::named(text).or_else(|| commands::named(text))?;
        Some(outcome.map_err(|why| format!("{place}: `{text}`: {why}")))
    });
    let checked: Vec<Result<(), String>> = checked.collect();
    let wrong: Vec<String> = checked.iter().filter_map(|one| one.clone().err()).collect();
    none((checked.len(), wrong), 150);
}

#[test]
fn every_address_on_the_page_of_the_api_is_in_full() {
    let spans = spans();
    let on_page = spans.iter().filter(|(place, _)| place.starts_with("docs/api.md:"));
    let addresses: Vec<_> = on_page.filter(|(_, text)| text.contains('/')).collect();
    let wrong = addresses.iter().filter_map(|(place, text)| {
        let why = requests::in_full(text).err()?;
        Some(format!("{place}: `{text}`: {why}"))
    });
    none((addresses.len(), wrong.collect()), 30);
}

/// What a page says on which addresses are cut short.
const SHORT: &str = "Addresses on this page are below `/api/agent-factory`";

#[test]
fn a_page_on_which_addresses_are_cut_short_says_what_comes_before_them() {
    let spans = spans();
    let is_page = |place: &str| place.starts_with("docs/") && place.matches('/').count() == 1;
    let is_for_readers = |place: &str| {
        let others = ["api", "requirements", "coverage", "assurance", "benchmarks"];
        !others.iter().any(|name| place.starts_with(&format!("docs/{name}.md")))
    };
    let on_pages = spans.iter().filter(|(place, _)| is_page(place) && is_for_readers(place));
    let short: Vec<_> = on_pages
        .filter(|(_, text)| requests::named(text).is_some() && requests::in_full(text).is_err())
        .collect();
    let wrong = short.iter().filter_map(|(place, text)| {
        let (page, _) = place.split_once(':')?;
        let says = std::fs::read_to_string(blocks::root().join(page))
            .is_ok_and(|page| page.contains(SHORT));
        (!says).then(|| format!("{place}: `{text}`: say `{SHORT} …` at the top of the page"))
    });
    none((short.len(), wrong.collect()), 50);
}

#[test]
fn every_address_on_the_page_of_an_error_is_in_full() {
    let spans = spans();
    let on_pages = spans.iter().filter(|(place, _)| place.starts_with("docs/errors/"));
    let addresses: Vec<_> = on_pages.filter(|(_, text)| requests::named(text).is_some()).collect();
    let wrong = addresses.iter().filter_map(|(place, text)| {
        let why = requests::in_full(text).err()?;
        Some(format!("{place}: `{text}`: {why}"))
    });
    none((addresses.len(), wrong.collect()), 20);
}
