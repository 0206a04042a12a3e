//! Steps that call an action.

use countersign_document::{List, Rules, Whole};
use countersign_model_list::{ModelName, Temperature};
use countersign_registry::{BackoffMultiplier, ModelChoice, PARALLEL, SAID_OF_OUTPUTS};
use countersign_wiring::references;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::for_each::ForEach;
use super::report::report;
use super::step::{MAX_STEPS, Step, step};
use super::text::Name;
use super::{Filled, Setting};
use crate::diagnostic::Code;
use crate::model::{self, OnError, Shape};
use crate::on_warning::OnWarning;

/// Declares a kind of step that calls an action: the keys that all of them have, and its own.
macro_rules! call {
    (
        $(#[$meta:meta])*
        $name:ident { $($(#[$field_meta:meta])* $field:ident: $field_type:ty,)* }
    ) => {
        step! {
            $(#[$meta])*
            #[expect(dead_code, reason = "inputs and params are looked up where they are written")]
            $name {
                /// What is called: an action of `GET /api/agent-factory/actions`.
                action: Filled,
                /// For `call_connector`: the connector, written out. May also be under `params`.
                connector: Option<Setting>,
                /// For `call_connector`: the endpoint, written out. May also be under `params`.
                endpoint: Option<Setting>,
                /// For `transform_data`: what is done with the data. May also be under `params`.
                operations: Option<Value>,
                /// Data: literals, inputs of the playbook, results of earlier steps.
                #[serde(default)]
                inputs: Map<String, Value>,
                /// Settings: literals and variables, never a step's result.
                #[serde(default)]
                params: Params,
                /// Another name for the result.
                output_key: Option<Name>,
                /// What a failure means after the retries. Left out, `stop` where an effect depends on the step, otherwise
                /// `skip`.
                on_error: Option<OnError>,
                /// What it means when some of what the step reads cannot be read. Left out, `gate` where an irreversible
                /// step follows, otherwise `continue`.
                on_warning: Option<OnWarning>,
                /// How often a failed attempt is repeated.
                retry_count: Option<Whole<0, 5>>,
                /// How many times as long as the one before each pause between two attempts is. Left out, 2.
                backoff_multiplier: Option<BackoffMultiplier>,
                /// How long one attempt may take; with `for_each` at most 240.
                timeout_seconds: Option<Whole<1, 840>>,
                $($(#[$field_meta])* $field: $field_type,)*
            }
        }

        impl $name {
            pub(crate) fn call(&self) -> Call<'_> {
                Call {
                    action: &self.action,
                    on_error: self.on_error,
                    on_warning: self.on_warning,
                    retry_count: self.retry_count.map(Whole::to),
                    backoff_multiplier: self.backoff_multiplier,
                    timeout_seconds: self.timeout_seconds.map(Whole::to),
                }
            }
        }
    };
}

/// What all steps that call an action say. Inputs and params are looked up where they are written.
pub(crate) struct Call<'s> {
    pub(crate) action: &'s str,
    pub(crate) on_error: Option<OnError>,
    pub(crate) on_warning: Option<OnWarning>,
    pub(crate) retry_count: Option<u32>,
    pub(crate) backoff_multiplier: Option<BackoffMultiplier>,
    pub(crate) timeout_seconds: Option<u32>,
}

call! {
    /// Calls an action, or runs steps side by side.
    Tool {
        /// For `parallel`: steps that do not use each other's results; no gates among them, and at most two levels.
        #[schemars(extend("x-code" = "P004"))]
        parallel_steps: Option<List<Step, 1, MAX_STEPS>>,
        /// One call for each item of a list. For calls that are signed.
        #[schemars(extend("x-hint" = "write `for_each: {in: \"{step.results}\"}`"))]
        for_each: Option<ForEach>,
    }
}

call! {
    /// Has a model do something.
    #[schemars(extend("x-elsewhere" = json!({
        "for_each": {
            "code": "P026",
            "message": "`for_each` belongs to tool steps",
            "hint": "wire the whole list: a model takes it at once",
        },
    })))]
    LlmTask {
        /// What the model must answer.
        #[schemars(extend(
            "x-missing-code" = "P023",
            "x-hint" = "say what the model must answer: `output_schema: {type: object, fields: [{name: verdict, type: string}]}`"
        ))]
        output_schema: Answer,
        /// Whether its model is told why a result, or a field of it, does not exist, because its step failed or was not run. Without it
        /// the step fails.
        #[serde(default)]
        allow_missing: bool,
        /// `provider/model`, when another than the agent's is asked: one that an administrator has listed.
        model: Option<ModelName>,
        /// How freely that model chooses its words, from 0 to 2. Needs `model`.
        temperature: Option<Temperature>,
    }
}

/// Settings of an action.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// For `parallel`: the steps, which are better written beside the action.
    #[schemars(extend("x-code" = "P004"))]
    pub(crate) parallel_steps: Option<List<Step, 1, MAX_STEPS>>,
    /// The others.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// What a model must answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    /// A record set is wrapped as `{results, count}`, a scalar as `{value}`.
    #[serde(rename = "type")]
    shape: Shape,
    /// The fields of a record or object; of a scalar, one.
    #[serde(default)]
    fields: List<AnswerField, 0, 100>,
}

/// A field of a model's answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnswerField {
    /// Its name.
    name: Filled,
    /// The type of its value.
    #[serde(default, rename = "type")]
    data_type: AnswerType,
    /// One sentence for the model.
    #[serde(default)]
    description: Setting,
}

/// The type of a field of a model's answer.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AnswerType {
    #[default]
    String,
    Number,
    Decimal,
    Integer,
    Date,
    Boolean,
    #[serde(rename = "string[]")]
    Strings,
    Object,
}

impl Tool {
    pub(crate) fn is_parallel(&self) -> bool {
        self.action.as_str() == PARALLEL
    }

    /// What only calls have, a parallel step has not.
    pub(super) fn check_parallel(&self, rules: &mut Rules<'_>) {
        if rules.has_key("/for_each") {
            let message = "`for_each` belongs to tool steps";
            let hint = "write it at a step under `parallel_steps`".to_owned();
            rules.at_key(Code::Misplaced.as_str(), "/for_each", message, hint);
        }
        for key in [
            "inputs",
            "connector",
            "endpoint",
            "operations",
            "retry_count",
            "backoff_multiplier",
            "timeout_seconds",
        ] {
            if rules.has_key(&format!("/{key}")) {
                let hint = format!("write `{key}` at a step under `parallel_steps`");
                foreign(key, "a parallel step has no key", hint, rules);
            }
        }
        rules.within("params", |rules| {
            for key in self.params.others.keys() {
                foreign(key, "`params` of a parallel step has no key", None, rules);
            }
        });
    }

    /// What only parallel steps have, a call has not.
    pub(super) fn check_call(&self, rules: &mut Rules<'_>) {
        if rules.has_key("/parallel_steps") && rules.is_sound("/action") {
            let hint = "`parallel_steps` belongs to `action: parallel`".to_owned();
            foreign("parallel_steps", "this step has no key", hint, rules);
        }
        self.check_for_each(rules);
    }

    fn check_for_each(&self, rules: &mut Rules<'_>) {
        let Some(each) = &self.for_each else {
            if rules.has_key("/for_each") && rules.is_sound("/for_each") {
                let message = "`for_each` must be a mapping, found nothing";
                let hint = "write `for_each: {in: \"{step.results}\"}`".to_owned();
                rules.at_key(Code::WrongShape.as_str(), "/for_each", message, hint);
            }
            return;
        };
        rules.within("for_each", |rules| each.rules(rules));
        let longest = ForEach::MAX_CALL;
        if let Some(seconds) = self.timeout_seconds.map(Whole::get).filter(|one| *one > longest) {
            let message = format!(
                "`timeout_seconds` must be a whole number from 1 to {longest} with `for_each`, found {seconds}"
            );
            report(rules, Code::OutOfRange, "/timeout_seconds", message, None);
        }
    }
}

impl LlmTask {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        if self.action.as_str() == PARALLEL {
            let message = "a model runs no steps side by side";
            let hint = "write `step_type: tool`".to_owned();
            report(rules, Code::Misplaced, "/action", message, hint);
        }
        self.check_words(rules);
        if self.temperature.is_some() && rules.is_sound("/model") && self.model.is_none() {
            let message = "`temperature` has no effect without `model`";
            let hint = "name the model, or leave it out".to_owned();
            report(rules, Code::Misplaced, "/temperature", message, hint);
        }
        rules.within("output_schema", |rules| self.output_schema.rules(rules));
    }

    /// The model that it names.
    pub(crate) fn model(&self) -> Option<ModelChoice> {
        let temperature = self.temperature;
        self.model.clone().map(|model| ModelChoice { model, temperature })
    }

    /// What a model is to do, and with what, is the author's word alone: a variable may hold what a stranger wrote.
    fn check_words(&self, rules: &mut Rules<'_>) {
        let is_filled = |name: &str| {
            self.params.others.get(name).is_some_and(|given| !references(given).is_empty())
        };
        for name in
            ["instructions", "template", "system_prompt"].iter().filter(|name| is_filled(name))
        {
            let message = format!(
                "`{name}` holds a reference: a model would take what it leads to as its task"
            );
            let hint = "give it as `data`, such as `data: {question: \"{question}\"}`".to_owned();
            report(rules, Code::Misplaced, &format!("/params/{name}"), message, hint);
        }
        for name in ["tools", "max_rounds"].iter().filter(|name| is_filled(name)) {
            let message = format!("`{name}` is written out, not filled in");
            let hint = "what a model may ask for is known before the playbook runs".to_owned();
            report(rules, Code::Misplaced, &format!("/params/{name}"), message, hint);
        }
    }
}

fn foreign(key: &str, what: &str, hint: impl Into<Option<String>>, rules: &mut Rules<'_>) {
    let pointer = format!("/{}", countersign_document::escaped(key));
    let shown: String = key.chars().take(60).collect();
    rules.at_key(Code::UnknownKey.as_str(), &pointer, format!("{what} `{shown}`"), hint);
}

impl Answer {
    fn rules(&self, rules: &mut Rules<'_>) {
        rules.within("fields", |rules| {
            for (n, field) in self.fields.iter().enumerate() {
                let name = field.name.as_str();
                if SAID_OF_OUTPUTS.contains(&name) {
                    let message = format!("`{name}` is what a step says of what it could not read");
                    let hint = "give the field another name".to_owned();
                    report(rules, Code::Ambiguous, &format!("/{n}/name"), message, hint);
                }
            }
        });
    }

    pub(crate) fn model(&self) -> model::OutputSchema {
        let fields = self.fields.iter().map(AnswerField::model);
        model::OutputSchema { shape: self.shape, fields: fields.collect() }
    }
}

impl AnswerField {
    fn model(&self) -> countersign_registry::Field {
        countersign_registry::Field {
            name: self.name.to_string(),
            data_type: self.data_type.model(),
            description: self.description.to_string(),
        }
    }
}

impl AnswerType {
    fn model(self) -> countersign_registry::DataType {
        use countersign_registry::DataType;
        match self {
            Self::String => DataType::String,
            Self::Number => DataType::Number,
            Self::Decimal => DataType::Decimal,
            Self::Integer => DataType::Integer,
            Self::Date => DataType::Date,
            Self::Boolean => DataType::Boolean,
            Self::Strings => DataType::array(DataType::String),
            Self::Object => DataType::Object,
        }
    }
}
