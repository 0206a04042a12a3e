//! Which of an agent's destinations the `route_output` steps of a run have taken: the end of the run writes to the others (F-171).
//!
//! A step takes the places that it writes to, and all of the agent's when it names none. It takes them as well when it failed,
//! or when its author's condition was false: what a step does not write because of its condition is not written behind its back.
//! A step that was not run takes nothing.

use countersign_knowledge::Namespace;
use countersign_plan::{Plan, PlanStep};
use countersign_report::{
    Destination, DestinationConfig as Config, DocumentConfig, GraphConfig, TableConfig,
    WrittenDestination,
};
use countersign_run::{RunState, StepStatus};
use countersign_store_content::DEFAULT_WORKSPACE;
use countersign_wiring::Template;
use serde::Deserialize as _;

/// What the steps of a run have taken.
#[derive(Debug, PartialEq)]
pub(crate) enum Taken {
    /// Everything: a step writes to the agent's destinations, or to some that the plan does not say.
    All,
    /// The places of these destinations.
    Places(Vec<Destination>),
}

impl Taken {
    /// What the steps of this plan have taken, by what became of them.
    pub(crate) fn of(plan: &Plan, state: &RunState) -> Self {
        let mut places = Vec::new();
        for step in plan.steps.iter().filter(|step| step.action == "route_output") {
            if was_not_run(state, step) {
                continue;
            }
            match written(step) {
                Some(destinations) => places.extend(destinations),
                None => return Self::All,
            }
        }
        Self::Places(places)
    }

    /// What is left of a destination of the agent; none when all of it is among it. `namespace` is the part of the graph that the
    /// agent writes to where a destination names none.
    pub(crate) fn left(&self, agent: Destination, namespace: &Namespace) -> Option<Destination> {
        let Self::Places(places) = self else { return None };
        let mut agent = agent;
        if let Config::Database(own) = &mut agent.config {
            own.retain(|own| !places.iter().flat_map(tables).any(|one| is_same_table(one, own)));
            return (!own.is_empty()).then_some(agent);
        }
        let is_free = places.iter().all(|place| !is_same(place, &agent, namespace));
        is_free.then_some(agent)
    }
}

/// The tables that a destination writes to.
fn tables(destination: &Destination) -> &[TableConfig] {
    match &destination.config {
        Config::Table(table) => std::slice::from_ref(table),
        Config::Database(tables) => tables,
        _ => &[],
    }
}

fn was_not_run(state: &RunState, step: &PlanStep) -> bool {
    let state = state.steps.iter().find(|(name, _)| *name == step.name);
    state.is_some_and(|(_, state)| state.status == StepStatus::NotRun)
}

/// The destinations that a step names; none when it names none, or when only the run knew them.
fn written(step: &PlanStep) -> Option<Vec<Destination>> {
    let written = step.params.get("destinations")?;
    let written = Vec::<WrittenDestination>::deserialize(written).ok()?;
    Some(written.into_iter().map(Destination::from).collect())
}

/// Whether both write to one place. Files of two formats are two files.
fn is_same(step: &Destination, agent: &Destination, namespace: &Namespace) -> bool {
    let part = |config: &GraphConfig| {
        config.namespace.clone().unwrap_or_else(|| namespace.as_str().to_owned())
    };
    match (&step.config, &agent.config) {
        (
            Config::Document(one) | Config::Folder(one),
            Config::Document(other) | Config::Folder(other),
        ) => step.format == agent.format && is_same_document(one, other),
        (Config::Append(one), Config::Append(other)) => fits(&one.document_id, &other.document_id),
        (_, Config::Table(other)) => tables(step).iter().any(|one| is_same_table(one, other)),
        (Config::Export(one), Config::Export(other)) => {
            step.format == agent.format && fits(&one.filename_template, &other.filename_template)
        }
        (Config::Graph(one), Config::Graph(other)) => fits(&part(one), &part(other)),
        (Config::Chat(_), Config::Chat(_)) => true,
        _ => false,
    }
}

fn is_same_document(step: &DocumentConfig, agent: &DocumentConfig) -> bool {
    let folder = |one: &DocumentConfig| one.folder_id.clone().unwrap_or_default();
    fits(&folder(step), &folder(agent)) && fits(&step.filename_template, &agent.filename_template)
}

fn is_same_table(step: &TableConfig, agent: &TableConfig) -> bool {
    let workspace = |one: &TableConfig| {
        one.workspace_id.clone().unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned())
    };
    fits(&workspace(step), &workspace(agent)) && fits(&step.table_name, &agent.table_name)
}

/// Whether a text of a step is that of the agent: its braces are doubled, and one that only the run knew may be any.
fn fits(step: &str, agent: &str) -> bool {
    let is_plain =
        Template::parse(step).is_ok_and(|template| template.references().next().is_none());
    !is_plain || step.replace("{{", "{").replace("}}", "}") == agent
}

#[cfg(test)]
mod tests {
    use countersign_run::{RunStatus, StepState};
    use serde_json::{Value, json};

    use super::*;

    /// A plan with a routing step of these params, and how the step ended.
    fn taken(params: &Value, status: StepStatus) -> Taken {
        let plan = json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "2".repeat(32)), "profile": "prof_1", "context": "interactive",
            "playbook": {"id": "p", "version": "1.0.0", "digest": ""}, "inputs": {},
            "steps": [{
                "name": "publish", "kind": "tool", "action": "route_output", "on_error": "skip", "after": [], "params": params,
            }],
        });
        let state = StepState {
            status,
            code: None,
            message: None,
            count: None,
            took_ms: 1,
            model: None,
            tool_calls: Vec::new(),
            approval: None,
            sent: None,
        };
        let steps = vec![("publish".to_owned(), state)];
        let state = RunState { status: RunStatus::Complete, steps };
        Taken::of(&serde_json::from_value(plan).unwrap(), &state)
    }

    fn destination(written: &Value) -> Destination {
        Destination::from(WrittenDestination::deserialize(written).unwrap())
    }

    /// Whether a step that writes to `step` leaves nothing of `agent` to the end of the run.
    #[track_caller]
    fn check(step: &Value, agent: &Value, expect: bool) {
        let taken = taken(&json!({ "destinations": [step] }), StepStatus::Done);
        let left = taken.left(destination(agent), &Namespace::default());
        assert_eq!(left.is_none(), expect, "{step} {agent}");
    }

    #[test]
    fn f_171_a_step_takes_the_places_it_writes_to() {
        let document = |folder: &str, file: &str| json!({ "type": "document", "config": { "folder_id": folder, "filename_template": file } });
        let agent = document("reports", "of_{entity_name}_{date}.md");
        check(&document("reports", "of_{{entity_name}}_{{date}}.md"), &agent, true);
        check(&document("reports", "of_{entity_name}_{date}.md"), &agent, true);
        check(&document("{folder}", "of_{{entity_name}}_{{date}}.md"), &agent, true);
        check(&document("reports", "other.md"), &agent, false);
        check(&document("elsewhere", "of_{{entity_name}}_{{date}}.md"), &agent, false);
        let folder = json!({ "type": "folder", "config": { "folder_id": "reports" } });
        check(&folder, &json!({ "type": "document", "config": { "folder_id": "reports" } }), true);
        let table = |workspace: Value, name: &str| json!({ "type": "data_workspace_table", "config": { "workspace_id": workspace, "table_name": name } });
        check(&table(json!("default"), "rows"), &table(Value::Null, "rows"), true);
        check(&table(json!("research"), "rows"), &table(Value::Null, "rows"), false);
        check(&table(Value::Null, "rows"), &table(Value::Null, "others"), false);
        let graph =
            |space: Value| json!({ "type": "knowledge_graph", "config": { "namespace": space } });
        check(&graph(Value::Null), &graph(Value::Null), true);
        check(&graph(json!("research")), &graph(Value::Null), false);
        check(&graph(json!("default")), &graph(Value::Null), true);
        check(&graph(Value::Null), &graph(json!("default")), true);
        let (chat, export) = (json!({ "type": "chat" }), json!({ "type": "file_export" }));
        check(&chat, &chat, true);
        check(&export, &export, true);
        check(&chat, &export, false);
    }

    #[test]
    fn f_171_files_of_another_format_are_other_files() {
        for kind in ["document", "file_export"] {
            let file = |format: &str| json!({ "type": kind, "format": format, "config": { "filename_template": "a" } });
            check(&file("json"), &file("json"), true);
            check(&file("json"), &file("csv"), false);
        }
    }

    #[test]
    fn f_171_a_table_is_taken_alone_or_among_others() {
        let table = |name: &str| json!({ "type": "data_workspace_table", "config": { "table_name": name } });
        let several = |names: &[&str]| {
            let tables: Vec<Value> =
                names.iter().map(|name| json!({ "table_name": name })).collect();
            json!({ "type": "data_workspace_db", "config": { "tables": tables } })
        };
        check(&table("a"), &several(&["a"]), true);
        check(&several(&["a", "b"]), &table("b"), true);
        check(&several(&["a", "b"]), &several(&["b", "a"]), true);
        check(&several(&["a", "b"]), &table("c"), false);
        let taken = taken(&json!({ "destinations": [table("a")] }), StepStatus::Done);
        let left = taken.left(destination(&several(&["a", "b"])), &Namespace::default());
        assert_eq!(left, Some(destination(&several(&["b"]))));
    }

    #[test]
    fn f_171_a_step_without_destinations_takes_all_of_them() {
        assert_eq!(taken(&json!({}), StepStatus::Done), Taken::All);
        assert_eq!(taken(&json!({ "destinations": "{places}" }), StepStatus::Done), Taken::All);
        assert_eq!(taken(&json!({}), StepStatus::NotRun), Taken::Places(Vec::new()));
    }

    #[test]
    fn f_171_what_a_condition_leaves_out_is_taken_and_what_was_not_run_is_not() {
        let chat = json!({ "type": "chat" });
        let params = json!({ "destinations": [chat] });
        for (status, expect) in [
            (StepStatus::Skipped, true),
            (StepStatus::Failed, true),
            (StepStatus::Lost, true),
            (StepStatus::NotRun, false),
        ] {
            let left = taken(&params, status).left(destination(&chat), &Namespace::default());
            assert_eq!(left.is_none(), expect, "{status:?}");
        }
    }
}
