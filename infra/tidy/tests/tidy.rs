//! The rules, over this project.

use countersign_tidy::{
    Project, TidyError, alarms, codes, coverage, crates, dead_letters, files, functions, grants,
    hardening, layers, machines, measure, requirements, template,
};

#[track_caller]
fn clean(rule: fn(&Project) -> Vec<String>) -> Result<(), TidyError> {
    let broken = rule(&Project::load()?);
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
    Ok(())
}

#[test]
fn edges_go_down_and_the_domain_is_pure() -> Result<(), TidyError> {
    clean(layers::broken)
}

#[test]
fn crates_inherit_and_are_well_named() -> Result<(), TidyError> {
    clean(crates::broken)
}

#[test]
fn every_function_is_whole() -> Result<(), TidyError> {
    clean(functions::broken)
}

#[test]
fn roles_grant_what_functions_are_built_from() -> Result<(), TidyError> {
    clean(grants::broken)
}

#[test]
fn the_template_keeps_limits_and_promises() -> Result<(), TidyError> {
    clean(template::broken)
}

#[test]
fn the_template_keeps_what_hardens_a_deployment() -> Result<(), TidyError> {
    clean(hardening::broken)
}

#[test]
fn what_could_not_be_dealt_with_is_kept_and_heard_of() -> Result<(), TidyError> {
    clean(dead_letters::broken)
}

#[test]
fn somebody_hears_of_every_alarm() -> Result<(), TidyError> {
    clean(alarms::broken)
}

#[test]
fn machines_mean_the_same_in_both_homes() -> Result<(), TidyError> {
    clean(machines::broken)
}

#[test]
fn few_files_need_each_other_and_no_document_is_read_by_hand() -> Result<(), TidyError> {
    clean(measure::broken)
}

#[test]
fn files_are_short_and_name_no_registry() -> Result<(), TidyError> {
    clean(files::broken)
}

#[test]
fn what_is_said_to_be_done_has_its_tests() -> Result<(), TidyError> {
    clean(coverage::broken)
}

#[test]
fn every_error_code_has_its_page() -> Result<(), TidyError> {
    clean(codes::broken)
}

#[test]
fn every_named_requirement_is_explained() -> Result<(), TidyError> {
    clean(requirements::broken)
}
