//! Figures over many runs: how agents fare, what they discover, how connectors answer (F-317). Pure; made of heads alone.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{ConnectorCall, Head, RunRecord, RunStatus, StepStatus, day_of};

/// Figures of some runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// How many runs there were.
    pub runs: u64,
    /// How many of them have which status. The head of a run that is not over does not say whether it waits for people: whoever counts
    /// has to give it the status that its events say.
    pub by_status: BTreeMap<&'static str, u64>,
    /// The share of finished runs that are `complete`, from 0 to 1; none while none is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    /// How long finished runs took on average, with all waiting for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_duration_ms: Option<u64>,
    /// Calls of connectors.
    pub connector_calls: u64,
    /// How many of them are not in the figures of `connectors`: the record of a run names the first of many.
    pub connector_calls_left_out: u64,
    /// Entities that the knowledge graph did not have.
    pub entities_discovered: u64,
    /// Relationships that the knowledge graph did not have.
    pub relationships_discovered: u64,
    /// The entities per finished run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities_per_run: Option<f64>,
    /// Names that were merged without asking.
    pub merged: u64,
    /// Pairs that were left to people.
    pub ambiguous: u64,
    #[serde(skip)]
    finished: u64,
    #[serde(skip)]
    took_ms: u64,
}

/// The figures of one agent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AgentFigures {
    /// The agent.
    pub profile_id: String,
    /// Its name in its newest run.
    pub profile_name: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: Figures,
}

/// What was discovered on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayFigures {
    /// The day (UTC) on which the runs began.
    pub day: String,
    /// How many runs began.
    pub runs: u64,
    /// Entities that the knowledge graph did not have.
    pub entities_discovered: u64,
    /// Relationships that it did not have.
    pub relationships_discovered: u64,
}

/// How an endpoint answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ConnectorFigures {
    /// The connector.
    pub connector: String,
    /// Its endpoint.
    pub endpoint: String,
    /// How often steps called it.
    pub calls: u64,
    /// How many of the calls failed, or have an unknown outcome.
    pub failed: u64,
    /// Failed calls over all, from 0 to 1.
    pub error_rate: f64,
    /// How long the measured calls took on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_latency_ms: Option<u64>,
    /// Records it gave.
    pub results: u64,
    #[serde(skip)]
    measured: u64,
    #[serde(skip)]
    took_ms: u64,
}

/// Figures over many runs. Tests of agents and playbooks do not count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Statistics {
    /// All of them.
    pub total: Figures,
    /// By agent, the one with most runs first.
    pub agents: Vec<AgentFigures>,
    /// By day, the newest first; days without runs are left out.
    pub days: Vec<DayFigures>,
    /// By connector and endpoint.
    pub connectors: Vec<ConnectorFigures>,
}

impl Statistics {
    /// The figures of these runs, the newest first.
    pub fn of<'h>(heads: impl IntoIterator<Item = &'h Head>) -> Self {
        let mut total = Figures::default();
        let mut agents: BTreeMap<(&str, &str), AgentFigures> = BTreeMap::new();
        let mut days: BTreeMap<String, DayFigures> = BTreeMap::new();
        let mut connectors: BTreeMap<(&str, &str), ConnectorFigures> = BTreeMap::new();
        for head in heads.into_iter().filter(|head| head.dry_run.is_none()) {
            total.add(head);
            // The runs of agents that were removed have no id any more, only the name.
            let name = if head.profile_id.is_empty() { head.profile_name.as_str() } else { "" };
            agents
                .entry((&head.profile_id, name))
                .or_insert_with(|| AgentFigures::new(head))
                .figures
                .add(head);
            let day = day_of(head.started_at);
            days.entry(day.clone()).or_insert_with(|| DayFigures::new(day)).add(head);
            for call in head.record.iter().flat_map(|record| &record.connectors_called) {
                connectors.entry((&call.connector, &call.endpoint)).or_default().add(call);
            }
        }
        let mut agents: Vec<AgentFigures> = agents.into_values().collect();
        agents.sort_by_key(|agent| std::cmp::Reverse(agent.figures.runs));
        let days = days.into_values().rev().collect();
        Self { total, agents, days, connectors: connectors.into_values().collect() }
    }
}

impl Figures {
    fn add(&mut self, head: &Head) {
        self.runs += 1;
        let status = head.status.unwrap_or(RunStatus::Running);
        *self.by_status.entry(status.as_str()).or_default() += 1;
        if let Some(took) = head.duration_ms() {
            self.finished += 1;
            self.took_ms = self.took_ms.saturating_add(took);
        }
        if let Some(record) = &head.record {
            self.connector_calls += calls(record);
            self.connector_calls_left_out += record.connectors_left_out;
            self.entities_discovered += record.entities.discovered;
            self.relationships_discovered += record.entities.relationships_discovered;
            self.merged += record.entities.merged;
            self.ambiguous += record.entities.ambiguous;
        }
        let complete =
            self.by_status.get(RunStatus::Complete.as_str()).copied().unwrap_or_default();
        self.success_rate = share(complete, self.finished);
        self.mean_duration_ms = self.took_ms.checked_div(self.finished);
        self.entities_per_run = share(self.entities_discovered, self.finished);
    }
}

impl AgentFigures {
    fn new(head: &Head) -> Self {
        let (profile_id, profile_name) = (head.profile_id.clone(), head.profile_name.clone());
        Self { profile_id, profile_name, figures: Figures::default() }
    }
}

impl DayFigures {
    fn new(day: String) -> Self {
        Self { day, runs: 0, entities_discovered: 0, relationships_discovered: 0 }
    }

    fn add(&mut self, head: &Head) {
        self.runs += 1;
        let counts = head.record.as_ref().map(|record| record.entities).unwrap_or_default();
        self.entities_discovered += counts.discovered;
        self.relationships_discovered += counts.relationships_discovered;
    }
}

impl ConnectorFigures {
    fn add(&mut self, call: &ConnectorCall) {
        if self.calls == 0 {
            (self.connector, self.endpoint) = (call.connector.clone(), call.endpoint.clone());
        }
        self.calls += 1;
        self.failed += u64::from(call.status != StepStatus::Done);
        self.results += call.results_count.unwrap_or_default();
        if let Some(took) = call.latency_ms {
            self.measured += 1;
            self.took_ms = self.took_ms.saturating_add(took);
        }
        self.error_rate = share(self.failed, self.calls).unwrap_or_default();
        self.mean_latency_ms = self.took_ms.checked_div(self.measured);
    }
}

fn calls(record: &RunRecord) -> u64 {
    record.connectors_called.len() as u64 + record.connectors_left_out
}

/// A share with four decimals; none of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of runs are far below 2^52")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Statistics;
    use crate::{Head, RunId, RunStatus};

    fn head(n: u8, profile: &str, rest: &Value) -> Head {
        let owner = format!("user_{}", "01".repeat(16));
        let mut head = json!({
            "run": RunId::from_bytes([n; 16]), "owner": owner, "invoked_by": owner, "scopes": [], "profile_id": profile,
            "profile_name": profile.to_uppercase(), "context": "background", "started_at": "2026-01-01T23:59:58Z",
            "attempt": 1, "version": 1,
        });
        for (name, value) in rest.as_object().unwrap() {
            head[name] = value.clone();
        }
        serde_json::from_value(head).unwrap()
    }

    fn call(status: &str, latency: Option<u64>) -> Value {
        let mut call = json!({
            "step": "read", "connector": "filings", "endpoint": "all", "status": status, "results_count": 5,
        });
        if let Some(latency) = latency {
            call["latency_ms"] = latency.into();
        }
        call
    }

    fn runs() -> Vec<Head> {
        let record = |calls: Value, discovered: u64| {
            json!({
                "connectors_called": calls, "entities": {
                    "resolved": 9, "discovered": discovered, "merged": 2, "ambiguous": 1,
                },
            })
        };
        let done = |status: &str, record: Value| json!({ "status": status, "finished_at": "2026-01-02T00:00:00Z", "record": record });
        vec![
            head(
                1,
                "a",
                &done("complete", record(json!([call("done", Some(30)), call("failed", None)]), 4)),
            ),
            head(2, "a", &done("error", record(json!([call("done", Some(10))]), 0))),
            head(3, "b", &json!({ "started_at": "2026-01-02T08:00:00Z" })),
            head(4, "b", &json!({ "dry_run": "reads", "status": "complete" })),
        ]
    }

    #[test]
    fn f_317_agents_are_measured_by_their_finished_runs() {
        let made = Statistics::of(&runs());
        assert_eq!((made.total.runs, made.total.success_rate), (3, Some(0.5)));
        assert_eq!(made.total.mean_duration_ms, Some(2_000));
        let told: Vec<_> = made
            .agents
            .iter()
            .map(|agent| {
                (agent.profile_name.as_str(), agent.figures.runs, agent.figures.connector_calls)
            })
            .collect();
        assert_eq!(told, [("A", 2, 3), ("B", 1, 0)]);
        assert_eq!(made.agents[1].figures.success_rate, None, "nothing is finished");
        assert_eq!(
            serde_json::to_value(&made.agents[1]).unwrap()["by_status"],
            json!({"running": 1})
        );
        let mut waits = runs();
        waits[2].status = Some(RunStatus::AwaitingApproval);
        let made = Statistics::of(&waits);
        assert_eq!(made.agents[1].figures.by_status["awaiting_approval"], 1);
        assert_eq!(
            (made.agents[1].figures.by_status.len(), made.total.success_rate),
            (1, Some(0.5))
        );
    }

    #[test]
    fn f_317_discoveries_are_counted_by_run_day_and_agent() {
        let made = Statistics::of(&runs());
        assert_eq!((made.total.entities_discovered, made.total.entities_per_run), (4, Some(2.0)));
        assert_eq!((made.total.merged, made.total.ambiguous), (4, 2));
        let days: Vec<_> = made
            .days
            .iter()
            .map(|day| (day.day.as_str(), day.runs, day.entities_discovered))
            .collect();
        assert_eq!(days, [("2026-01-02", 1, 0), ("2026-01-01", 2, 4)]);
        assert_eq!(made.agents[0].figures.entities_discovered, 4);
    }

    #[test]
    fn f_317_a_connectors_latency_is_that_of_the_calls_somebody_measured() {
        let made = Statistics::of(&runs());
        let [filings] = made.connectors.as_slice() else { panic!("{made:?}") };
        assert_eq!((filings.calls, filings.failed, filings.results), (3, 1, 15));
        assert_eq!((filings.error_rate, filings.mean_latency_ms), (0.3333, Some(20)));
    }
}
