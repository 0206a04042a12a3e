//! A playbook that is saved with other detection steps while its monitor looks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::sync::watch::{Receiver, Sender, channel};

use super::{Feed, SAVE, Watch, monitor, playbook};
use crate::case::{person, until};
use crate::provider_server;

/// A gate before a feed: whoever comes while it is closed waits.
struct Gate {
    port: u16,
    came: Arc<AtomicUsize>,
    is_open: Sender<bool>,
}

impl Gate {
    fn before(feed: &Feed) -> Self {
        let listener = provider_server::listener();
        let (port, to) = (listener.local_addr().unwrap().port(), feed.port);
        let (is_open, opens) = channel(true);
        let came = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&came);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(pass(stream, to, opens.clone()));
            }
        });
        Self { port, came, is_open }
    }

    fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }

    fn set_open(&self, is_open: bool) {
        self.is_open.send(is_open).unwrap();
    }
}

/// Passes on what comes and what is answered, once the gate is open.
async fn pass(mut stream: TcpStream, to: u16, mut opens: Receiver<bool>) {
    if opens.wait_for(|is_open| *is_open).await.is_err() {
        return;
    }
    if let Ok(mut feed) = TcpStream::connect(("127.0.0.1", to)).await {
        let _ = copy_bidirectional(&mut stream, &mut feed).await;
    }
}

/// A monitor of a feed behind a gate; it has looked for the first time.
async fn watching() -> (Watch, Gate) {
    let feed = Feed::open().await;
    let gate = Gate::before(&feed);
    feed.publish("first");
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let connector = feed.connector().replace(&feed.port.to_string(), &gate.port.to_string());
    ana.post("/connectors", &json!({ "yaml": connector })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    (watch, gate)
}

/// Looks, and saves this playbook before the feed answers; the run of what was found.
async fn looks_while_saving(watch: &Watch, gate: &Gate, yaml: &str) -> String {
    let before = gate.came();
    gate.set_open(false);
    watch.ana.post(&format!("/monitors/{}/run-now", watch.monitor), &json!({})).await;
    until("the look asks the feed", || async { (gate.came() > before).then_some(()) }).await;
    watch.follows(yaml).await;
    gate.set_open(true);
    watch.outcome("started").await;
    watch.run().await
}

#[tokio::test]
async fn f_214_f_218_what_was_found_while_the_playbook_was_changed_is_processed_by_its_steps() {
    let (watch, gate) = watching().await;
    let begun = watch.mark().await;
    watch.feed.publish("second");
    let renamed = playbook(SAVE).replace("name: look", "name: see").replace("look.", "see.");
    let first = looks_while_saving(&watch, &gate, &renamed).await;
    let stopped = watch.ana.reaches(&first, "error").await;
    let why = stopped["stop"]["message"].as_str().unwrap();
    assert!(why.contains("`look`"), "it names the step: {why}");
    assert!(why.contains("the playbook was changed since it looked"), "{why}");
    assert!(!stopped["steps"].to_string().contains("\"done\""), "nothing was done: {stopped:#}");
    until("its next try is to come", || async {
        (!watch.of("state").await["retry_after"].is_null()).then_some(())
    })
    .await;
    let line = watch.of("batches/1").await;
    assert_eq!((&line["state"], &line["has_moved"]), (&json!("open"), &json!(false)), "{line:#}");
    assert_eq!(watch.mark().await["watermark_value"], begun["watermark_value"]);

    watch.follows(&playbook(SAVE)).await;
    watch.look().await;
    let second = watch.run().await;
    let waiting = watch.ana.reaches(&second, "awaiting_approval").await;
    assert_eq!(waiting["repeats"], json!([first]), "{waiting:#}");
    watch.decide("approve").await;
    watch.ana.reaches(&second, "complete").await;
    let found = watch.ana.get(&format!("/executions/{second}/outputs/look")).await;
    assert_eq!(found["output"]["results"][0]["title"], "second", "{found:#}");
    let line = watch.of("batches/1").await;
    assert_eq!((&line["state"], &line["attempt"]), (&json!("committed"), &json!(2)), "{line:#}");
    let parked: Value = watch.of("parked").await["items"].clone();
    assert_eq!(parked, json!([]), "nothing is lost");
}
