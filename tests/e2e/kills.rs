//! The local stack is killed within 50 ms of an acknowledged write; what was acknowledged is there when it is up again.
//!
//! Three times with a fixed seed; `countersign bench kills` chooses another seed and more kills.

mod kept;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use countersign_cli::CliError;
use countersign_cli::console::Console;
use countersign_cli::stack::{EmulatorStatus, Place, Stack, UpOptions, down, up};
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use self::kept::Kept;
use crate::case::{FACTORY, Person, admin, gated, person_in, rows, until};
use crate::readers::limits::a_reader_of_any_format_that_reaches_its_limit_ends_alone;
use crate::world::{World, options, project};

const KILLS: u64 = 3;
const SEED: u64 = 20_261_122;
/// Requests that people decide while the stack is killed.
const REQUESTS: usize = 3;

/// What was acknowledged.
#[derive(Debug, Default, Clone)]
struct Acknowledged {
    people: Vec<String>,
    runs: Vec<String>,
    /// A request and its run.
    decisions: Vec<(String, String)>,
}

impl Acknowledged {
    fn len(&self) -> usize {
        self.people.len() + self.runs.len() + self.decisions.len()
    }
}

/// A stack that is killed, and what it said it had done.
struct Scene {
    place: Place,
    options: UpOptions,
    console: Console,
    stack: Stack,
    ana: Person,
    maria: Person,
    agent: String,
    /// Is due each minute.
    schedule: String,
    said: Mutex<Acknowledged>,
    kept: Kept,
    random: Mutex<u64>,
}

#[tokio::test]
async fn r_058_what_was_acknowledged_survives_kills() {
    let state = tempfile::tempdir().unwrap();
    let mut scene = Scene::set(state.path(), number("COUNTERSIGN_KILL_SEED", SEED)).await;
    let mut recovered = 0;
    for round in 0..number("COUNTERSIGN_KILLS", KILLS) {
        let requests = scene.open_requests().await;
        let before = scene.said.lock().unwrap().len();
        let kept = &scene.kept;
        let (files, tokens) = (kept.add_files(&scene.ana), kept.store_tokens(&scene.ana));
        let people = scene.add_people();
        let decided = scene.decide(&requests);
        tokio::join!(people, scene.start_runs(), files, tokens, decided, scene.kill());
        assert!(
            scene.said.lock().unwrap().len() > before,
            "nothing was acknowledged in round {round}"
        );
        recovered += scene.restart().await;
        scene.check().await;
    }
    assert!(recovered > 0, "the log held nothing");
    assert!(scene.kept.len() > 0, "no file was acknowledged");
    scene.finish().await;
    write_report(&scene.said.lock().unwrap(), recovered);
    down(state.path(), &scene.console).await.unwrap();
}

#[tokio::test]
async fn f_099_one_sentence_for_two_commands_a_taken_port_and_a_full_disk_and_nothing_is_lost() {
    let state = tempfile::tempdir().unwrap();
    let mut scene = Scene::set(state.path(), SEED).await;
    scene.a_second_command_waits_for_the_first().await;
    if cfg!(target_os = "linux") {
        let world = World::on(scene.stack.clone());
        a_reader_of_any_format_that_reaches_its_limit_ends_alone(&world).await;
        scene.what_cannot_be_kept_is_not_acknowledged().await;
    }
    kill(&scene.stack);
    scene.a_taken_port_is_named().await;
    assert!(scene.restart().await > 0);
    scene.check().await;
    scene.an_unknown_emulator_is_named(state.path()).await;
    scene.the_command_says_what_was_recovered().await;
    down(state.path(), &scene.console).await.unwrap();
}

/// The write log alone and around the emulator's tables, and what the launcher relies on in the emulator.
#[test]
fn the_launcher_passes_its_own_tests() {
    let world = crate::world::world();
    let folder = std::env::var_os("COUNTERSIGN_VENV");
    let folder = folder.map_or_else(|| world.project.join(".countersign/venv"), Into::into);
    let tests = &["-m", "unittest", "durable_test", "queues_test"][..];
    for arguments in [tests, &["launch.py", "--check"]] {
        let mut python = Command::new(folder.join("bin/python"));
        python.arg("-B").args(arguments).current_dir(world.project.join("infra/local"));
        let said = python.output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
}

impl Scene {
    async fn set(state: &Path, seed: u64) -> Self {
        let place = Place { project: Some(project()), state: Some(state.to_owned()) };
        let (console, options) = (Console::new(), options("countersign-kills"));
        let stack = up(&place, &options, &console).await.unwrap();
        let world = World::on(stack.clone());
        let ana = person_in(&world, "ana", &["global:analyst"]).await;
        let maria = person_in(&world, "maria", &["global:analyst", "decide"]).await;
        let agent = ana.agent(&[&maria]).await;
        ana.playbook(&gated("gated-kills", "")).await;
        let schedule = json!({
            "name": "Each minute", "profile_id": agent, "cron_expression": "* * * * *", "is_enabled": true,
            "query_template": "Rows", "playbook_id": "gated-kills", "inputs": rows(), "approval_policy": "auto_approve",
        });
        let schedule = ana.post("/schedules", &schedule).await["id"].as_str().unwrap().to_owned();
        let (said, kept) = (Mutex::new(Acknowledged::default()), Kept::set(&ana).await);
        let random = Mutex::new(seed);
        Self { place, options, console, stack, ana, maria, agent, schedule, said, kept, random }
    }

    /// A number below `limit`; the same seed gives the same numbers (SplitMix64).
    fn below(&self, limit: u64) -> u64 {
        let mut state = self.random.lock().unwrap();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// Requests that wait for a decision.
    async fn open_requests(&self) -> Vec<(String, Value)> {
        let mut requests = Vec::new();
        for _ in 0..REQUESTS {
            let run = self.ana.start(&self.agent, "gated-kills", rows()).await;
            self.said.lock().unwrap().runs.push(run.clone());
            let request = self.maria.request(&run).await;
            let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
            requests.push((run, self.maria.get(&path).await));
        }
        requests
    }

    async fn add_people(&self) {
        let admin = admin(&World::on(self.stack.clone()));
        loop {
            let name = format!("p-{}", uuid::Uuid::now_v7().simple());
            let email = format!("{name}@example.org");
            let body = json!({ "username": name, "email": email, "email_verified": true, "display_name": name });
            if admin.post("/api/admin/users", &body).await.is_err() {
                return;
            }
            self.said.lock().unwrap().people.push(name);
        }
    }

    async fn start_runs(&self) {
        let body = json!({ "profile": self.agent, "playbook": "gated-kills", "inputs": rows(), "run_context": "background" });
        while let Ok(run) = self.ana.door.post(&format!("{FACTORY}/executions"), &body).await {
            self.said.lock().unwrap().runs.push(run["id"].as_str().unwrap().to_owned());
        }
    }

    async fn decide(&self, requests: &[(String, Value)]) {
        join_all(requests.iter().map(async |(run, request)| {
            let id = request["id"].as_str().unwrap();
            let path = format!("{FACTORY}/approvals/{id}/approve");
            let body = json!({ "digest": request["digest"], "version": request["version"] });
            if self.maria.door.post(&path, &body).await.is_ok() {
                self.said.lock().unwrap().decisions.push((id.to_owned(), run.clone()));
            }
        }))
        .await;
    }

    /// Kills the emulator at most 50 ms after one of the next acknowledged writes.
    async fn kill(&self) {
        let (so_far, decided) = {
            let said = self.said.lock().unwrap();
            (said.len(), said.decisions.len())
        };
        let enough = so_far + 1 + usize::try_from(self.below(8)).unwrap();
        let is_enough =
            |said: &Acknowledged| said.len() >= enough && said.decisions.len() > decided;
        until_quickly(|| is_enough(&self.said.lock().unwrap())).await;
        tokio::time::sleep(Duration::from_micros(self.below(50_000))).await;
        kill(&self.stack);
    }

    /// Brings the stack up again; returns how many writes its log held.
    async fn restart(&mut self) -> u64 {
        self.stack = up(&self.place, &self.options, &self.console).await.unwrap();
        let kept = EmulatorStatus::of(&self.stack).await.unwrap();
        assert!(kept.unclean && kept.sentence().is_some(), "{kept:?}");
        kept.recovered.writes
    }

    /// Everybody, every run, file, credential and decision is there; nothing that was decided is pending.
    async fn check(&self) {
        self.kept.check(&self.ana).await;
        let admin = admin(&World::on(self.stack.clone()));
        let Acknowledged { people, runs, decisions } = self.said.lock().unwrap().clone();
        for name in people {
            admin.get(&format!("/api/admin/users/{name}")).await.unwrap();
        }
        for run in runs {
            assert_eq!(self.ana.run(&run).await["id"], run);
        }
        let pending = self.maria.get("/approvals?status=pending&limit=100").await;
        for (decision, _) in decisions {
            let status = self.maria.get(&format!("/approvals/{decision}")).await["status"].clone();
            assert_eq!(status, "approved", "{decision}");
            let mut items = pending["items"].as_array().unwrap().iter();
            assert!(items.all(|item| item["approval"] != decision), "{decision} is pending again");
        }
    }

    /// Every run whose request was decided, before whichever kill, goes on to its end.
    async fn finish(&self) {
        let decided = self.said.lock().unwrap().decisions.clone();
        let done = tokio::time::timeout(Duration::from_secs(300), async {
            for (_, run) in decided {
                while self.ana.run(&run).await["state"] != "complete" {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        });
        done.await.expect("a decided run goes on after the kill");
        self.the_clock_goes_on().await;
        self.the_ledger_is_intact().await;
    }

    /// The schedule's next due time runs, and each due time since it was made is known once.
    async fn the_clock_goes_on(&self) {
        let since = Timestamp::now();
        let path = format!("/schedules/{}/occurrences?limit=100", self.schedule);
        let at = |one: &Value| one["due_at"].as_str().unwrap().parse::<Timestamp>().unwrap();
        let all = until("a due time after the kill runs", || async {
            let all = self.ana.get(&path).await["items"].as_array().unwrap().clone();
            let runs = |one: &Value| at(one) > since && one["status"] == "complete";
            all.iter().any(runs).then_some(all)
        })
        .await;
        let mut due: Vec<Timestamp> = all.iter().map(at).collect();
        due.sort_unstable();
        let minute = SignedDuration::from_mins(1);
        assert!(due.windows(2).all(|two| two[1].duration_since(two[0]) == minute), "{due:?}");
    }

    /// Everything that was decided is in the ledger, sealed.
    async fn the_ledger_is_intact(&self) {
        let decisions = self.said.lock().unwrap().decisions.len() as u64;
        until("the ledger is sealed", || async {
            let (is_intact, said) = self.said_by("verify").await;
            let sealed = said.lines().find_map(|line| line.strip_prefix("sealed through"))?;
            let sealed: u64 = sealed.trim().split(',').next()?.parse().ok()?;
            (is_intact && sealed >= decisions).then_some(())
        })
        .await;
    }

    async fn a_second_command_waits_for_the_first(&self) {
        let console = Console::new();
        let both = [
            up(&self.place, &self.options, &self.console),
            up(&self.place, &self.options, &console),
        ];
        let refused: Vec<_> = join_all(both).await.into_iter().filter_map(Result::err).collect();
        assert!(matches!(refused.as_slice(), [CliError::Busy(_)]), "{refused:?}");
        let said = refused[0].to_string();
        assert!(said.starts_with("another `countersign` command is at work in `/"), "{said}");
    }

    /// Files of the emulator may grow no further, as on a full disk; then they may again.
    async fn what_cannot_be_kept_is_not_acknowledged(&self) {
        let admin = admin(&World::on(self.stack.clone()));
        let add = async |name: &str| {
            let email = format!("{name}@example.org");
            let body = json!({ "username": name, "email": email, "email_verified": true, "display_name": name });
            admin.post("/api/admin/users", &body).await
        };
        add("before").await.unwrap();
        limit_files(&self.stack, "1");
        let refused = add("refused").await.unwrap_err();
        assert!(matches!(refused, CliError::Refused { status: 500..=599, .. }), "{refused:?}");
        let why = EmulatorStatus::of(&self.stack).await.unwrap().refusing.unwrap();
        assert!(why.starts_with("a write was refused because it could not be kept"), "{why}");
        let (_, said) = self.said_by("status").await;
        assert!(said.contains(&format!("writes  {why}\n")), "{said}");
        let seen = admin.get("/api/admin/users/refused").await.unwrap_err();
        assert!(matches!(seen, CliError::Refused { status: 404, .. }), "{seen:?}");
        limit_files(&self.stack, "unlimited");
        add("after").await.unwrap();
        assert_eq!(EmulatorStatus::of(&self.stack).await.unwrap().refusing, None);
        let names = ["before", "after"].map(str::to_owned);
        self.said.lock().unwrap().people.extend(names);
    }

    /// Whether a command succeeds on this stack, and all that it says.
    async fn said_by(&self, command: &str) -> (bool, String) {
        let state = self.place.state.as_ref().unwrap();
        World::on(self.stack.clone()).command_in(state, &[command]).await
    }

    async fn the_command_says_what_was_recovered(&self) {
        let world = World::on(self.stack.clone());
        person_in(&world, "late", &["global:reader"]).await;
        kill(&self.stack);
        let (is_up, said) = self.said_by("up").await;
        assert!(is_up, "{said}");
        assert!(said.contains("the local stack did not stop cleanly the last time; "), "{said}");
        assert!(said.contains(" were recovered from its log"), "{said}");
    }

    async fn a_taken_port_is_named(&self) {
        let taken = until("the port is free", || async {
            std::net::TcpListener::bind(("127.0.0.1", self.stack.port)).ok()
        })
        .await;
        let (is_up, said) = self.said_by("up").await;
        let sentence = format!("port {} is in use by another program", self.stack.port);
        assert!(
            !is_up
                && said.contains(&sentence)
                && said.contains("stop that program: this stack keeps the port"),
            "{said}"
        );
        drop(taken);
    }

    /// A command that is killed after it has started the emulator leaves one that no record names.
    async fn an_unknown_emulator_is_named(&self, state: &Path) {
        let forgotten = Stack { process: None, ..self.stack.clone() };
        forgotten.save(state).unwrap();
        let (is_up, said) = self.said_by("up").await;
        let process = self.stack.process.as_ref().unwrap().pid;
        let sentence = format!(
            "another local stack (process {process}) uses `{}`",
            state.join("aws").display()
        );
        assert!(!is_up && said.contains(&sentence), "{said}");
        self.stack.save(state).unwrap();
    }
}

fn kill(stack: &Stack) {
    signal(stack.process.as_ref().unwrap().pid, "-KILL");
}

pub(crate) fn signal(process: u32, signal: &str) {
    let process = process.to_string();
    assert!(Command::new("kill").args([signal, &process]).status().unwrap().success());
}

/// Sets how long a file of the emulator may become; only the soft limit, so that it can be taken back.
fn limit_files(stack: &Stack, bytes: &str) {
    let pid = stack.process.as_ref().unwrap().pid.to_string();
    let limit = format!("--fsize={bytes}:");
    assert!(Command::new("prlimit").args(["--pid", &pid, &limit]).status().unwrap().success());
}

async fn until_quickly(reached: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + crate::case::PATIENCE;
    while !reached() {
        assert!(std::time::Instant::now() < deadline, "too little was acknowledged");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap())
}

/// For `countersign bench kills`.
fn write_report(said: &Acknowledged, recovered: u64) {
    let Some(file) = std::env::var_os("COUNTERSIGN_KILL_REPORT") else { return };
    let report = json!({ "people": said.people.len(), "runs": said.runs.len(), "decisions": said.decisions.len(), "recovered": recovered });
    std::fs::write(file, report.to_string()).unwrap();
}
