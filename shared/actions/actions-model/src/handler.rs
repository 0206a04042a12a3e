//! The handler of the actions in which a model has no tools.

use std::borrow::Cow;
use std::marker::PhantomData;

use countersign_extractive::{Task, answer as quoted};
use countersign_model::{Message, Model};
use countersign_registry::action::{ActionFuture, Answered, Call, Foreseen, Handler};
use countersign_registry::actions::model_task::{FINDINGS, Inputs, Params};
use countersign_registry::{Action, Contract, ModelChoice, OutputSchema, arguments};
use countersign_run::ModelUse;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::Deps;
use crate::answer;
use crate::conversation::{
    Conversation, MAX_INPUT, OF_STEP, bytes, foreseen, hash, millis, record, temperature_of,
};
use crate::error::{LlmError, advice};
use crate::findings::{Findings, warned};
use crate::prompt::{Style, messages};

/// An action that a model does.
pub(crate) struct ModelAction<A> {
    deps: Deps,
    style: Style,
    action: PhantomData<fn() -> A>,
}

/// What the model is asked, and in which form it must answer.
struct Asked<'c> {
    schema: &'c OutputSchema,
    messages: Vec<Message>,
    /// What it is not shown of what steps before found.
    left_out: Vec<String>,
}

/// What steps before found, where that is given.
fn given(inputs: &Inputs) -> Option<&Value> {
    inputs.findings.as_ref().filter(|findings| !findings.is_null())
}

/// What the built-in model quotes: all of it, whatever its length.
fn quotable(inputs: &Inputs) -> Cow<'_, Value> {
    let Some(findings) = given(inputs) else { return Cow::Borrowed(&inputs.data) };
    let mut all = match &inputs.data {
        Value::Object(fields) if !fields.contains_key(FINDINGS) => Value::Object(fields.clone()),
        other => json!({ "data": other }),
    };
    all[FINDINGS] = findings.clone();
    Cow::Owned(all)
}

impl<A> ModelAction<A> {
    pub(crate) fn new(deps: Deps, style: Style) -> Self {
        Self { deps, style, action: PhantomData }
    }

    fn asked<'c>(
        &self,
        call: &'c Call,
        inputs: &Inputs,
        params: &Params,
    ) -> Result<Asked<'c>, LlmError> {
        let schema = call.output_schema.as_ref().ok_or(LlmError::NoSchema)?;
        let findings = given(inputs).map(Findings::of);
        let (findings, left_out) = findings.map(|found| (found.shown, found.left_out)).unzip();
        let shown = (&inputs.data, findings.as_ref());
        let messages = messages(self.style, params, shown, schema, call.rewrite.as_deref());
        let bytes = bytes(&messages);
        if bytes > MAX_INPUT {
            return Err(LlmError::InputTooLarge { bytes, max: MAX_INPUT });
        }
        Ok(Asked { schema, messages, left_out: left_out.unwrap_or_default() })
    }

    async fn write(
        &self,
        call: &Call,
        inputs: &Inputs,
        params: &Params,
    ) -> Result<(Value, ModelUse), LlmError> {
        let Asked { schema, messages, left_out } = self.asked(call, inputs, params)?;
        let (model, terms) = self.deps.chosen(call).await?;
        match &model {
            Model::Extractive if call.rewrite.is_some() => Err(LlmError::FollowsNoInstructions),
            Model::Extractive => {
                quote(call, model.name(), params, &quotable(inputs), schema, &messages)
            }
            Model::Provider(client) => {
                let (deps, terms) = (&self.deps, &terms);
                let conversation = Conversation {
                    client,
                    terms,
                    deps,
                    call,
                    schema,
                    fits: &|said, _| answer::whole(said, schema),
                    tools: &[],
                    may_ask: false,
                    before: 0,
                    limits: OF_STEP,
                    temperature: temperature_of(call),
                };
                let (output, used) = conversation.answer(messages).await?;
                Ok((warned(output, left_out), used))
            }
        }
    }
}

impl<A: Action<Inputs = Inputs, Params = Params>> Handler for ModelAction<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
        output_of(self.answer(call))
    }

    fn answer<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Answered> {
        Box::pin(async move {
            let (inputs, params) = arguments::<A>(call)?;
            let (output, model) = self.write(call, &inputs, &params).await?;
            Ok(Answered { output, model: Some(model) })
        })
    }

    fn model(&self, choice: Option<&ModelChoice>) -> Option<String> {
        Some(self.deps.model_name(choice))
    }

    fn foresee(&self, call: &Call, _tools: Vec<Cow<'_, Contract>>) -> Foreseen {
        let (inputs, params) = arguments::<A>(call)?;
        let Asked { schema, messages, .. } = self.asked(call, &inputs, &params)?;
        let model = self.deps.model_name(call.model.as_ref());
        Ok(Some(foreseen(&model, &messages, schema, (&[], OF_STEP))))
    }
}

/// What is left of an answer for whoever does not ask which model wrote it.
pub(crate) fn output_of(answer: ActionFuture<'_, Answered>) -> ActionFuture<'_, Value> {
    Box::pin(async move { answer.await.map(|answered| answered.output) })
}

/// The built-in model: its answer fits, or there is none.
fn quote(
    call: &Call,
    model: String,
    params: &Params,
    data: &Value,
    schema: &OutputSchema,
    messages: &[Message],
) -> Result<(Value, ModelUse), LlmError> {
    let begun = Instant::now();
    let (instructions, template) = (params.instructions.as_deref(), params.template.as_deref());
    let said = quoted(&Task { instructions, template, data, schema })?;
    let output = |said| answer::output(said, schema).and_then(|said| answer::whole(said, schema));
    built_in(call, (model, begun), messages, said, output)
}

/// The output that an answer of the built-in model is, and what it used.
pub(crate) fn built_in(
    call: &Call,
    (model, begun): (String, Instant),
    messages: &[Message],
    said: Value,
    output: impl FnOnce(Value) -> Result<Value, String>,
) -> Result<(Value, ModelUse), LlmError> {
    let answer_sha256 = hash(&said.to_string());
    let advice = advice(call);
    let output = output(said).map_err(|problems| LlmError::Invalid {
        model: model.clone(),
        problems,
        advice,
    })?;
    let latency_ms = millis(begun.elapsed());
    let used = record(model, messages);
    Ok((output, ModelUse { turns: 1, latency_ms, answer_sha256, ..used }))
}
