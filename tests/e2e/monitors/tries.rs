//! What becomes of a batch whose run does not come to its end.

use serde_json::{Value, json};

use super::{Feed, SAVE, Watch, monitor, playbook, watching};
use crate::case::{FACTORY, person_in, revoke, until};
use crate::effects::connector;
use crate::for_each::Bank;
use crate::world::world;

impl Watch {
    /// A batch is written down first, its run is started then.
    pub(super) async fn is_there(&self, run: &str) {
        let path = format!("{FACTORY}/executions/{run}");
        until("the run is there", || async { self.ana.door.get(&path).await.ok() }).await;
    }

    /// The end of the open batch's run, which fails; whoever is asked on the way signs.
    async fn fails(&self) -> String {
        let run = self.run().await;
        until("the run fails", || async {
            let state = self.ana.run(&run).await["state"].clone();
            if state == "awaiting_approval" {
                self.sign(&run).await;
            }
            (state == "error").then_some(())
        })
        .await;
        until("the next try or the end", || async {
            let state = self.of("state").await;
            let is_over = state["open_batch"].is_null() || !state["retry_after"].is_null();
            is_over.then_some(())
        })
        .await;
        run
    }

    async fn sign(&self, run: &str) {
        let request = self.maria.request(run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = self.maria.get(&path).await;
        let body = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/approve"), &body).await;
    }
}

#[tokio::test]
async fn f_214_k_49_the_next_try_of_a_batch_leaves_out_what_was_sent() {
    let watch = watching().await;
    let bank = Bank::open(&[]).await;
    watch.ana.post("/connectors", &json!({ "yaml": connector(bank.port) })).await;
    watch.ana.bind(&watch.agent, "test-ledger").await;
    let pay = "call_connector\n    connector: test-ledger\n    endpoint: book\n    for_each: {in: \"{look.results}\", as: notice, key: \"{notice.title}\"}\n    inputs: {amount: \"{notice.title}\"}";
    let fails = "\n  - name: fails\n    step_type: tool\n    action: query_journal\n    inputs: {status: \"{look.watermark}\"}\n    on_error: stop\n";
    let yaml = playbook(pay).trim_end().to_owned() + fails;
    watch
        .ana
        .door
        .put(&format!("{FACTORY}/playbooks/watch-notices"), &json!({ "yaml": yaml }))
        .await
        .unwrap();
    watch.feed.publish("10.00");
    watch.feed.publish("20.00");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let first = watch.fails().await;
    assert_eq!(bank.amounts(), ["10.00", "20.00"]);

    let path = format!("/executions/{first}/repeat");
    let refused = watch.ana.refused(&path, Some(&json!({}))).await;
    assert_eq!(refused, (409, "RUN_TRIED_AGAIN".to_owned()), "the monitor does it");

    assert_eq!(watch.look().await["last_outcome"], "retried");
    let second = watch.fails().await;
    assert_eq!(watch.ana.run(&second).await["repeats"], json!([first]));
    until("whoever signs is told which attempt it is", || async {
        let asked = world().mailbox().to(&watch.maria.email).await.unwrap();
        let says = |text: &str| text.contains("started by hand") && text.contains("second attempt");
        asked.iter().any(|mail| says(&mail.text)).then_some(())
    })
    .await;
    assert_eq!(bank.amounts(), ["10.00", "20.00"], "nothing is paid twice");
}

#[tokio::test]
async fn issue_14_whoever_pauses_a_monitor_before_the_next_try_hears_that_its_run_failed() {
    let watch = watching().await;
    let fails = "  - name: fails\n    step_type: tool\n    action: query_journal\n    inputs: {status: \"{look.watermark}\"}\n    on_error: stop\n  - name: sign_off";
    let yaml = playbook(SAVE).replace("  - name: sign_off", fails);
    let path = format!("{FACTORY}/playbooks/watch-notices");
    watch.ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
    watch.feed.publish("second");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.fails().await;
    let path = format!("/monitors/{}/pause", watch.monitor);
    watch.ana.post(&path, &json!({})).await;
    let event = json!({ "owner": watch.ana.id, "monitor": watch.monitor });
    crate::schedules::invoke("cron-monitor", &event).await;
    let mail = watch.mail("Notices: a run failed and is not tried again").await;
    for says in ["MONITOR_PAUSED", "It was tried once", &watch.monitor] {
        assert!(mail.text.contains(says), "{}", mail.text);
    }
    let all = world().mailbox().to(&watch.ana.email).await.unwrap();
    let of_run = all.iter().filter(|mail| mail.text.contains(&run)).count();
    assert_eq!(of_run, 0, "one mail for what was due");
}

#[tokio::test]
async fn f_214_what_was_denied_is_done_and_what_failed_is_parked_after_three_tries() {
    let watch = watching().await;
    watch.feed.publish("unwanted");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.maria.request(&run).await;
    watch.decide("deny").await;
    watch.ana.reaches(&run, "rejected").await;
    let line = watch.of("batches").await["items"][0].clone();
    assert_eq!((&line["state"], &line["run_status"]), (&json!("committed"), &json!("rejected")));
    assert_eq!(watch.look().await["last_outcome"], "suppressed");

    // From now on every run fails at its first step.
    let fails = "  - name: fails\n    step_type: tool\n    action: query_journal\n    inputs: {status: \"{look.watermark}\"}\n    on_error: stop\n  - name: sign_off";
    let broken = playbook(SAVE).replace("  - name: sign_off", fails);
    let yaml = json!({ "yaml": broken });
    let path = format!("{FACTORY}/playbooks/watch-notices");
    watch.ana.door.put(&path, &yaml).await.unwrap();
    watch.feed.publish("parked");
    for attempt in 1..=3 {
        let word = if attempt == 1 { "started" } else { "retried" };
        assert_eq!(watch.look().await["last_outcome"], word);
        let line = until("the end of the run", || async {
            let line = watch.of("batches").await["items"][0].clone();
            (line["attempt"] == attempt && line["run_status"] == "error").then_some(line)
        })
        .await;
        // The state still says `error` of the try before; a run that has ended is noted with its batch.
        let run = line["execution_id"].as_str().unwrap();
        watch.is_there(run).await;
        watch.ana.reaches(run, "error").await;
        until("the next try or the end", || async {
            let state = watch.of("state").await;
            let is_over = state["open_batch"].is_null() || !state["retry_after"].is_null();
            is_over.then_some(())
        })
        .await;
    }
    let parked = watch.of("parked").await;
    assert_eq!(parked["items"][0]["key"], "notices/tag:notices,parked", "{parked:#}");
    let third = watch.of("batches").await["items"][0]["execution_id"].clone();
    let told = until("a mail about the last run", || async {
        let mails = world().mailbox().to(&watch.ana.email).await.unwrap();
        mails.into_iter().find(|mail| mail.text.contains(third.as_str().unwrap()))
    })
    .await;
    assert!(told.text.contains("third attempt of mon_"), "{}", told.text);
    assert!(told.text.contains("1 item is parked"), "{}", told.text);
    assert_eq!(watch.of("batches?state=parked").await["items"][0]["has_moved"], true);
    assert_eq!(watch.look().await["last_outcome"], "suppressed", "the mark moved");

    let reset = format!("/monitors/{}/reset-watermarks", watch.monitor);
    let (status, _) = watch.ana.refused(&reset, Some(&json!({ "steps": ["keep"] }))).await;
    assert_eq!(status, 422);
    let marks = watch.ana.post(&reset, &json!({})).await;
    assert_eq!(marks["items"][0]["watermark_value"], Value::Null);
    assert_eq!(watch.look().await["last_outcome"], "started", "F-215: everything is new again");
    assert_eq!(watch.of("batches").await["items"][0]["count"], 3);
}

#[tokio::test]
async fn f_218_a_batch_whose_run_is_refused_three_times_is_parked_with_the_reason() {
    let watch = watching().await;
    revoke(&watch.maria, "decide").await;
    watch.feed.publish("second");
    watch.look().await;
    let failed = watch.outcome("failed").await;
    let why = failed["last_error"].as_str().unwrap();
    assert!(why.contains("APPROVAL_UNREACHABLE"), "{why}");
    assert_eq!(failed["open_batch"], 1, "it is tried again: {failed:#}");
    for _ in 0..3 {
        watch.look().await;
        watch.outcome("failed").await;
    }
    // Neither what a person asks for counts, nor what its clock does before the interval is over.
    for _ in 0..3 {
        watch.tick().await;
    }
    assert_eq!(watch.of("state").await["open_batch"], 1, "its owner may be mending it");
    let line = until("the batch is parked", || async {
        let parked = watch.of("batches?state=parked").await["items"][0].clone();
        if parked.is_null() {
            watch.ticks().await;
        }
        (!parked.is_null()).then_some(parked)
    })
    .await;
    assert_eq!((&line["has_moved"], &line["run_status"]), (&json!(true), &Value::Null), "{line:#}");
    let item = watch.of("parked").await["items"][0].clone();
    assert_eq!(item["key"], "notices/tag:notices,second", "{item:#}");
    assert!(item["refused_for"].as_str().unwrap().contains("APPROVAL_UNREACHABLE"), "{item:#}");
    let page = watch.ana.get(&format!("/monitors/{}/occurrences", watch.monitor)).await;
    let over = page["items"][0].clone();
    assert_eq!((&over["state"], &over["runs"]), (&json!("skipped"), &Value::Null), "{over:#}");
    assert_eq!(over["reason"]["code"], "APPROVAL_UNREACHABLE", "{over:#}");
    assert_eq!(watch.runs().await, 0);
    let mail = watch.mail("Notices: 1 item is parked").await;
    assert!(mail.text.contains("APPROVAL_UNREACHABLE"), "{}", mail.text);
    assert!(mail.text.contains("countersign monitors parked mon_"), "{}", mail.text);
    let notes = watch.notes("items_parked").await;
    assert_eq!(notes.len(), 1, "{notes:#?}");
    assert!(watch.notes("monitor_failing").await.is_empty(), "of one thing it is told once");
    let name = &watch.ana.username;
    let list = ["monitors", "--as", name.as_str(), "parked", watch.monitor.as_str()];
    let (is_well, said) = world().command(&list).await;
    assert!(is_well && said.contains("REFUSED FOR"), "{said}");
    let why: String = item["refused_for"].as_str().unwrap().chars().take(40).collect();
    assert!(said.contains(&why), "{said}");
    assert_eq!(watch.look().await["last_outcome"], "suppressed", "the others go on");
}

/// A secret of a deployment whose people may start one run a day.
const SECRET: &str = "a secret of the deployment whose monitors find their quota used up";

#[tokio::test]
async fn p_003_a_batch_waits_while_the_quota_of_its_owner_is_used_up() {
    let parameters = [format!("JwtHs256Secret={SECRET}"), "RunsPerDay=1".to_owned()];
    let mut world = world().beside("countersign-used-up", &parameters).await;
    SECRET.clone_into(&mut world.stack.jwt_secret);
    let (feed, ana) = (Feed::open().await, person_in(&world, "ana", &["global:analyst"]).await);
    let maria = person_in(&world, "maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": feed.connector() })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    ana.playbook(&crate::case::gated("used-up", "")).await;
    ana.start(&agent, "used-up", crate::case::rows()).await;

    feed.publish("first");
    let mut body = monitor(&agent);
    body["process_first"] = json!(true);
    let made = ana.post("/monitors", &body).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let event = json!({ "owner": ana.id, "monitor": monitor }).to_string();
    let watch = Watch { feed, ana, maria, agent, monitor };
    let failed = watch.outcome("failed").await;
    assert!(failed["last_error"].as_str().unwrap().contains("QUOTA_EXCEEDED"), "{failed:#}");
    // Its clock ticks more often than a batch is tried whose run is refused.
    let name = "countersign-used-up-cron-monitor";
    let tick = ["lambda", "invoke", "--function-name", name, "--payload", &event, "/dev/null"];
    for _ in 0..4 {
        world.aws(&tick).await.unwrap();
    }
    let line = watch.of("batches").await["items"][0].clone();
    assert_eq!((&line["state"], &line["attempt"]), (&json!("open"), &json!(1)), "{line:#}");
    assert_eq!(watch.of("state").await["open_batch"], 1);
    let page = watch.ana.get(&format!("/monitors/{}/occurrences", watch.monitor)).await;
    let due = page["items"][0].clone();
    assert_eq!((&due["state"], &due["reason"]["code"]), (&json!("due"), &json!("QUOTA_EXCEEDED")));
    assert_eq!(watch.runs().await, 1, "the one that was started by hand");
}

#[tokio::test]
async fn f_210_a_monitor_starts_no_more_runs_in_a_day_than_its_owner_lets_it() {
    let watch = watching().await;
    let path = format!("{FACTORY}/monitors/{}", watch.monitor);
    let most = async |most: u32| {
        let change = json!({ "most_per_day": most });
        watch.ana.door.patch(&path, &change).await.unwrap();
    };
    most(1).await;
    watch.feed.publish("second");
    watch.look().await;
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    watch.sign(&run).await;
    watch.ana.reaches(&run, "complete").await;
    until("the batch is closed", || async {
        watch.of("state").await["open_batch"].is_null().then_some(())
    })
    .await;
    watch.feed.publish("third");
    watch.look().await;
    let state = watch.outcome("failed").await;
    assert!(state.to_string().contains("`most_per_day` says: 1"), "{state:#}");
    assert_eq!(watch.runs().await, 1, "what it found waits");
    most(2).await;
    watch.look().await;
    until("the run of what waited", || async { (watch.runs().await == 2).then_some(()) }).await;
}
