//! End-to-end tests. One stack serves all of them; every test has people, agents and playbooks of its own, so they run side
//! by side. Nothing here knows a table or a key, only the REST door, the mailed links and the captured mail; but for
//! `stores`, which asks stores on tables of their own.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on stops where it is"
)]

mod all_rows;
mod browser;
mod case;
mod chains;
mod channels;
mod code;
mod connections;
mod connectors;
mod crash;
mod cursors;
mod decided;
mod demo;
mod deployment_secrets;
mod destinations;
mod direct;
mod documented;
mod doors;
mod drafts;
mod dry_runs;
mod effects;
mod engine;
mod files;
mod filings;
mod first_use;
mod floor;
mod following;
mod for_each;
mod foreign;
mod graph;
mod graph_limits;
mod graph_off;
mod graph_parts;
mod graph_search;
mod hostile_requests;
mod identity;
mod journals;
mod kills;
mod knowledge;
#[path = "../../shared/domain/letter/tests/sample/mod.rs"]
#[expect(dead_code, reason = "the pages are looked at here, the mails are not")]
mod letter_sample;
mod library;
mod links;
mod loosening;
mod main_job;
mod model_calls;
mod model_repeats;
mod models;
mod money;
mod monitors;
mod origins;
mod outage;
mod pages;
mod playbooks;
mod profiles;
#[path = "../../shared/actions/actions-connect/tests/provider/mod.rs"]
#[expect(dead_code, reason = "what only the action's own tests ask of a provider")]
mod provider;
mod provider_server;
mod questions;
mod quotas;
mod readers;
mod records;
mod refused_results;
mod requests;
mod research;
mod resolution_log;
mod responses;
mod restart;
mod rights;
mod saboteur;
mod safe_endpoints;
mod scanner;
mod schedules;
mod second_factor;
mod secrets;
mod sign_in;
mod signatures;
mod skipped_gates;
mod sources;
mod steps;
mod stores;
mod streams;
mod strikes;
mod teams;
mod todos;
mod told;
mod triggers;
mod unknown;
mod unsendable;
mod warnings;
mod web;
mod what_is_sent;
mod withdrawn;
mod world;
