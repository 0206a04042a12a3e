//! What a server receives is what the effect and its view say, byte for byte: random connectors of every auth type and
//! body kind, called through the real action. The view is turned back into a request here, by code of its own, with the
//! secrets filled in as the view's words have it.

mod generate;
mod mails;
mod random;
mod shown;
mod values;
mod wire;

use std::collections::BTreeMap;

use countersign_effect::Effect;
use countersign_effect::view::EffectView;

use self::generate::Case;
use self::random::Random;
use self::wire::{Received, Server};
use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };
const KEY: &str = "9f86d081884c7d659a2feaa0c55ad015";
/// How many cases every test run compares; `countersign bench effects` asks for more.
const CASES: u32 = 500;

/// What became of the cases: compared ones by auth type and body kind, refused ones by code.
#[derive(Default)]
struct Report {
    compared: BTreeMap<(&'static str, &'static str), u32>,
    refused: BTreeMap<String, u32>,
}

#[tokio::test]
async fn what_a_server_receives_is_what_was_shown() {
    let asked = std::env::var("COUNTERSIGN_EFFECT_CASES").ok();
    let cases = asked.and_then(|text| text.parse().ok()).unwrap_or(CASES);
    let server = Server::start().await;
    let egress = Egress::new(LOCAL);
    let mut report = Report::default();
    let (mut compared, mut seed) = (0, 0_u64);
    while compared < cases {
        assert!(seed < u64::from(cases) * 3, "too many cases are refused: {:?}", report.refused);
        let case = generate::case(&mut Random::new(seed), server.port);
        match compare(&case, &server, &egress).await {
            Ok(()) => {
                compared += 1;
                *report.compared.entry((case.auth, case.body)).or_default() += 1;
            }
            Err(Outcome::Refused(code)) => *report.refused.entry(code).or_default() += 1,
            Err(Outcome::Differs(what)) => panic!("seed {seed}: {what}\n{case:#?}"),
        }
        seed += 1;
    }
    assert_eq!(report.compared.len(), generate::COMBINATIONS, "{:?}", report.compared);
    write(&report);
}

/// Why a case was not found equal.
enum Outcome {
    /// It was refused before anything was sent.
    Refused(String),
    /// What was received is not what was shown.
    Differs(String),
}

fn write(report: &Report) {
    let Some(file) = std::env::var_os("COUNTERSIGN_EFFECT_REPORT") else { return };
    let row = |((auth, body), cases): (&(&str, &str), &u32)| json!({ "auth": auth, "body": body, "cases": cases });
    let rows: Vec<Value> = report.compared.iter().map(row).collect();
    let whole = json!({ "compared": rows, "refused": report.refused });
    std::fs::write(file, whole.to_string()).unwrap();
}

async fn compare(case: &Case, server: &Server, egress: &Egress) -> Result<(), Outcome> {
    server.forget();
    let refused = |code: &str| Outcome::Refused(code.to_owned());
    let parsed = countersign_connector::parse(&case.yaml);
    let Some(definition) = parsed.definition else {
        let rule = parsed.diagnostics.first().map_or("", |found| found.code.as_str());
        return Err(refused(&format!("parser: {rule}")));
    };
    let overrides: Result<ConfigOverrides, _> = serde_json::from_value(case.overrides.clone());
    let overrides = overrides.map_err(|_| refused("overrides"))?;
    let overrides = definition.bindable(overrides, &Permissions::default());
    let overrides = overrides.map_err(|_| refused("binding"))?;
    let world = World { parts: case.parts.clone(), ..World::new(&case.yaml) };
    let world = Arc::new(world.bind(|binding| binding.config_overrides = overrides));
    let mut call = call_of("api", "act", case.inputs.clone());
    call.params.extend(case.params.as_object().cloned().unwrap_or_default());
    let effect = match described(&world, &call).await {
        Ok(effect) => effect,
        Err(error) => {
            assert!(server.received().is_empty());
            return Err(refused(error.code));
        }
    };
    call.permit =
        Some(Permit { effect: effect.clone(), receipt: "rcpt_1".to_owned(), recheck: None });
    let output = send(&world, egress, &call).await;
    let received = server.received();
    check(case, &effect, &received).map_err(Outcome::Differs)?;
    output.map(|_| ()).map_err(|error| Outcome::Differs(format!("{} {error}", error.code)))
}

/// The effect as it is stored and read again.
async fn described(world: &Arc<World>, call: &Call) -> Result<Effect, ActionError> {
    let calls = [CallOf { inputs: &call.inputs, key: KEY }];
    let of = EffectsOf {
        owner: &call.owner,
        profile_id: &call.info.profile_id,
        action: &call.action,
        params: &call.params,
        calls: &calls,
        ahead: None,
    };
    let effect = ConnectorEffects(world.clone()).describe(&of).await?.remove(0);
    let again = Effect::parse(&effect.text().unwrap()).unwrap();
    assert_eq!(again, effect);
    Ok(again)
}

async fn send(world: &Arc<World>, egress: &Egress, call: &Call) -> Result<Value, ActionError> {
    let deps = Deps {
        connectors: world.clone(),
        health: world.clone(),
        credentials: world.clone(),
        deployment: None,
        limits: world.clone(),
        rests_for: STAYS_OPEN,
        answers: world.clone(),
        announcer: world.clone(),
        files: world.clone(),
        readers: Readers::here(),
        robots: Robots::new(egress.clone()),
        egress: egress.clone(),
        tokens: Tokens::default(),
        tools: Arc::new(ActionTools::new(vec![world.clone()])),
    };
    actions(deps, Mode::Write)[0].run(call).await
}

fn check(case: &Case, effect: &Effect, received: &[Received]) -> Result<(), String> {
    let view = EffectView::of(effect);
    let secrets: BTreeMap<&str, &str> = case.parts.iter().copied().collect();
    let (last, before) = received.split_last().ok_or("nothing was received")?;
    let mut shown = shown::request(&view, &secrets)?;
    if case.body == "mail" {
        mails::check(&view, last)?;
        shown.body.clone_from(&last.body);
    }
    same("the view", &shown, last)?;
    let token = shown::token_request(&view, &secrets);
    let bought: Vec<Received> = token.into_iter().collect();
    if bought != before {
        return Err(format!("the token request {before:?} is not {bought:?}"));
    }
    let Effect::Http(http) = effect else { return Err("not a request".to_owned()) };
    let body = http.body.as_ref().map(|body| body.text.clone()).unwrap_or_default();
    if body.as_bytes() != last.body {
        return Err("the effect's body is not what was received".to_owned());
    }
    case.data.iter().try_for_each(|(pointer, value)| data_stays(pointer, value, last))
}

/// What a call passes arrives as that value, whatever its text looks like.
fn data_stays(pointer: &str, value: &Value, received: &Received) -> Result<(), String> {
    let body: Value = serde_json::from_slice(&received.body).map_err(|error| error.to_string())?;
    match body.pointer(pointer) {
        Some(found) if found == value => Ok(()),
        found => Err(format!("{pointer} is {found:?} and not {value}")),
    }
}

fn same(what: &str, shown: &Received, received: &Received) -> Result<(), String> {
    if shown == received {
        return Ok(());
    }
    Err(format!(
        "{what} and the server do not agree:\n  shown    {shown:?}\n  received {received:?}"
    ))
}
