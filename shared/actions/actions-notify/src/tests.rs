use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_failure::Class;
use countersign_identity::UserId;
use countersign_links::makes_link;
use countersign_outbox::Mail;
use countersign_registry::action::{ActionError, ActionFuture, Asking, Call, RunInfo};
use countersign_run::Quota;
use countersign_store_content::Notification;
use serde_json::{Value, json};

use crate::{Addresses, Mails, Notes, PublicUrl, Quotas, actions};

#[derive(Default)]
struct World {
    notes: Mutex<Vec<Notification>>,
    mails: Mutex<Vec<Mail>>,
    verified: bool,
    spent: bool,
}

impl Notes for World {
    fn keep<'a>(&'a self, note: &'a Notification) -> ActionFuture<'a, Notification> {
        Box::pin(async move {
            let mut notes = self.notes.lock().unwrap();
            if let Some(stands) = notes.iter().find(|known| known.id == note.id) {
                return Ok(stands.clone());
            }
            notes.push(note.clone());
            Ok(note.clone())
        })
    }
}

impl Addresses for World {
    fn verified<'a>(&'a self, _: &'a UserId) -> ActionFuture<'a, Option<String>> {
        Box::pin(async move { Ok(self.verified.then(|| "ada@example.org".to_owned())) })
    }
}

impl Quotas for World {
    fn count<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, ()> {
        Box::pin(async move {
            let exceeded = Quota::mails(1).exceeded(call.now);
            if self.spent { Err(ActionError::from_failure(&exceeded)) } else { Ok(()) }
        })
    }
}

impl Mails for World {
    fn queue<'a>(&'a self, mail: &'a Mail) -> ActionFuture<'a, ()> {
        Box::pin(async move {
            self.mails.lock().unwrap().push(mail.clone());
            Ok(())
        })
    }
}

fn call(message: &str, params: &Value) -> Call {
    let user = UserId::from_bytes([1; 16]);
    let now = "2026-11-21T10:00:00Z".parse().unwrap();
    Call {
        run: "run_1".into(),
        step: "tell".into(),
        owner: user.clone(),
        action: "send_notification".into(),
        inputs: [("message".to_owned(), json!(message))].into_iter().collect(),
        params: params.as_object().cloned().unwrap(),
        idempotency_key: "key".into(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now,
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".into(),
            profile_name: "Nonprofit Investigator".into(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".into(),
            dry_run: false,
            invoked_by: user,
            team: None,
            started_at: now,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

async fn run(world: &Arc<World>, call: &Call) -> Result<Value, ActionError> {
    let own = PublicUrl::parse("https://own.example").unwrap();
    let world = Arc::clone(world);
    let all = actions(world.clone() as _, world.clone() as _, world.clone() as _, world as _, own);
    all[0].run(call).await
}

async fn check(params: &Value, verified: bool, subject: Option<&str>) {
    let world = Arc::new(World { verified, ..World::default() });
    let output = run(&world, &call("Done", params)).await.unwrap();
    assert_eq!(output["success"], true);
    assert_eq!(world.notes.lock().unwrap().len(), 1);
    let mails = world.mails.lock().unwrap();
    assert_eq!(mails.first().map(Mail::subject), subject);
}

#[tokio::test]
async fn f_072_priority_decides_whether_a_mail_goes_out() {
    check(&json!({"priority": "low"}), true, None).await;
    // Nothing that a playbook says, or its run has read, is in a subject.
    const SUBJECT: &str = "Message of agent Nonprofit Investigator";
    check(&json!({}), true, Some(SUBJECT)).await;
    let high = json!({"priority": "high", "title": "Two\r\nBcc: x"});
    check(&high, true, Some(&format!("Important: {SUBJECT}"))).await;
    let urgent = json!({"priority": "urgent", "title": "Your account is closed"});
    check(&urgent, true, Some(&format!("Urgent: {SUBJECT}"))).await;
    check(&json!({"priority": "urgent"}), false, None).await;
}

#[tokio::test]
async fn f_311_a_message_says_what_could_not_be_read_before_it() {
    let world = Arc::new(World { verified: true, ..World::default() });
    let mut step = call("The total is 4155.30.", &json!({}));
    step.info.warnings = vec![
        "1 warning in `read`: a.csv, row 3, `amount`: `$4` is not a decimal".to_owned(),
        format!("b.csv: `1\n\nMaria approved.\u{202e}` {}", "x".repeat(600)),
    ];
    step.info.warnings.extend((0..4).map(|n| format!("1 warning in `s{n}`")));
    run(&world, &step).await.unwrap();
    let notes = world.notes.lock().unwrap();
    let expect = "The total is 4155.30.\n\nWarnings about what this is based on:\n\
                  - 1 warning in `read`: a.csv, row 3, `amount`: `$4` is not a decimal\n- b.csv: `1 Maria approved.` xxx";
    let message = &notes[0].message;
    assert!(message.starts_with(expect), "{message}");
    assert!(message.ends_with("x…\n- 1 warning in `s0`\n- 1 warning in `s1`\n- 1 warning in `s2`\n- warnings in 1 more steps"), "{message}");
    assert!(world.mails.lock().unwrap()[0].text().contains("is not a decimal"));
}

#[tokio::test]
async fn f_072_a_second_attempt_keeps_one_note_and_one_mail_id() {
    let world = Arc::new(World { verified: true, ..World::default() });
    let step = call("Done", &json!({"action_url": "/runs/run_1", "action_label": "Open the run"}));
    let first = run(&world, &step).await.unwrap();
    assert_eq!(first, run(&world, &step).await.unwrap());
    assert_eq!(world.notes.lock().unwrap().len(), 1);
    let mails = world.mails.lock().unwrap();
    assert_eq!(mails[0], mails[1]);
    let text = mails[0].text();
    assert!(text.ends_with("> Open the run:\n\nOpen: https://own.example/runs/run_1\n"), "{text}");
}

#[tokio::test]
async fn f_072_the_words_of_an_agent_are_quoted_and_marked_in_a_mail() {
    let world = Arc::new(World { verified: true, ..World::default() });
    let words = "All is \u{202e}well.\n\nOpen: N\u{336}o\r-- \nThe agent Bank wrote this";
    let step = call(words, &json!({"title": "Two\r\nBcc: x"}));
    run(&world, &step).await.unwrap();
    let mails = world.mails.lock().unwrap();
    let expect = "The agent Nonprofit Investigator wrote this in run run_1. This deployment has not checked it.\n\n\
                  > Two Bcc: x\n> \n> All is [U+202E]well.\n> \n> Open: N[U+0336]o[U+000D]-- \n> The agent Bank wrote this\n";
    assert_eq!(mails[0].text(), expect);
}

#[tokio::test]
async fn f_072_an_address_outside_of_the_deployment_is_no_link_in_a_mail() {
    let world = Arc::new(World { verified: true, ..World::default() });
    let outside = "https://evil.example/pay";
    let step = call("Pay", &json!({"action_url": outside, "action_label": "Pay now"}));
    run(&world, &step).await.unwrap();
    let text = world.mails.lock().unwrap()[0].text().to_owned();
    let taken =
        "> Pay now:\n\nAn address outside of this deployment: https[:]//evil[.]example/pay\n";
    assert!(text.ends_with(taken) && !makes_link(&text), "{text}");
    assert_eq!(world.notes.lock().unwrap()[0].action_url.as_deref(), Some(outside));

    let world = Arc::new(World { verified: true, ..World::default() });
    run(&world, &call("Pay", &json!({"action_url": "/x https://evil.example/pay"}))).await.unwrap();
    let text = world.mails.lock().unwrap()[0].text().to_owned();
    assert!(text.ends_with("Open: https://own.example/x%20https://evil.example/pay\n"), "{text}");
}

#[tokio::test]
async fn f_072_a_person_whose_mails_are_spent_is_told_by_the_step_and_nothing_is_left_behind() {
    let spent = |verified| Arc::new(World { verified, spent: true, ..World::default() });
    let world = spent(true);
    let error = run(&world, &call("Done", &json!({}))).await.unwrap_err();
    assert_eq!((error.code, error.class), ("QUOTA_EXCEEDED", Class::Terminal));
    assert!(error.message.contains("quota of 1 mails"), "{}", error.message);
    assert!(world.notes.lock().unwrap().is_empty() && world.mails.lock().unwrap().is_empty());
    // What is not mailed is not counted.
    assert!(run(&spent(true), &call("Done", &json!({"priority": "low"}))).await.is_ok());
    assert!(run(&spent(false), &call("Done", &json!({}))).await.is_ok());
}

#[tokio::test]
async fn f_072_only_a_link_to_the_deployment_is_one_in_a_mail() {
    let hostile = [
        "https://evil.example/x",
        "www.evil.example",
        "evil.example/pay",
        "ada@evil.example",
        "tel:+155501",
    ];
    let scripts = ["plain, see {}.", "({})", "<{}>", "two\nlines {} here", "{}\u{200b}"];
    for (script, text) in scripts.iter().flat_map(|script| hostile.map(|text| (script, text))) {
        let world = Arc::new(World { verified: true, ..World::default() });
        let words = script.replace("{}", text);
        let params = json!({"title": words, "action_url": "/runs/run_1", "action_label": words});
        let mut step = call(&words, &params);
        step.info.profile_name.clone_from(&words);
        run(&world, &step).await.unwrap();
        let mails = world.mails.lock().unwrap();
        let own = "https://own.example/runs/run_1";
        assert_eq!(mails[0].text().matches(own).count(), 1, "{words}");
        let around = mails[0].text().replace(own, "");
        assert!(!makes_link(&around), "{around}");
        assert!(!makes_link(mails[0].subject()), "{}", mails[0].subject());
        assert_eq!(
            world.notes.lock().unwrap()[0].message,
            words.trim(),
            "the record keeps the words"
        );
    }
}

#[tokio::test]
async fn f_072_arguments_are_checked() {
    let world = Arc::new(World::default());
    let refused = |message: &'static str, params: Value| {
        let world = Arc::clone(&world);
        async move { run(&world, &call(message, &params)).await.unwrap_err().message }
    };
    assert_eq!(refused(" ", json!({})).await, "`message` is empty");
    assert_eq!(
        refused("x", json!({"priority": "soon"})).await,
        "`priority` must be one of `low`, `normal`, `high`, `urgent`, found `soon`"
    );
    let link = refused("x", json!({"action_url": "http://evil.example"})).await;
    assert_eq!(link, "`action_url` must be an https address or a path of this deployment");
    assert_eq!(world.notes.lock().unwrap().len(), 0);
}
