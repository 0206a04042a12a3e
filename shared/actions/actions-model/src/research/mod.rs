//! The handler of `research_with_tools`: one turn of a conversation in which the model may ask for tools.

mod built_in;
mod confidence;

use std::borrow::Cow;

use countersign_model::{Message, Model, ToolSpec};
use countersign_registry::action::{ActionError, ActionFuture, Answered, Call, Foreseen, Handler};
use countersign_registry::actions::research_with_tools::{Inputs, Params, ResearchWithTools};
use countersign_registry::talk::{PriorTurns, Said};
use countersign_registry::{
    Action as _, Contract, ModelChoice, OutputSchema, arguments, arguments_schema,
};
use serde_json::{Value, json};

use crate::Deps;
use crate::answer;
use crate::conversation::{
    Conversation, MAX_INPUT, OF_STEP, TurnEnd, bytes, foreseen, temperature_of,
};
use crate::error::LlmError;
use crate::findings::{Findings, warned};
use crate::handler::output_of;
use crate::talk::{asking, told};

/// An action whose model asks for tools.
pub(crate) struct Research {
    pub(crate) deps: Deps,
}

/// What the model is asked.
struct Asked<'c> {
    inputs: Inputs,
    schema: &'c OutputSchema,
    messages: Vec<Message>,
    tools: Vec<ToolSpec>,
    /// What it is not shown of what others found.
    left_out: Vec<String>,
}

fn asked<'c>(call: &'c Call, talk: &PriorTurns<'_>) -> Result<Asked<'c>, ActionError> {
    let (inputs, params) = arguments::<ResearchWithTools>(call)?;
    let schema = call.output_schema.as_ref().ok_or(LlmError::NoSchema)?;
    let Params { system_prompt, max_rounds, .. } = &params;
    let assigned = inputs.assignment.as_ref().filter(|assigned| !assigned.is_null());
    let assigned = assigned.map(Findings::in_assignment);
    let (assigned, left_out) = assigned.map(|found| (found.shown, found.left_out)).unzip();
    let mut messages = asking((system_prompt, *max_rounds), &inputs, assigned.as_ref(), schema);
    messages.extend(told(&talk.turns, talk.may_ask));
    let bytes = bytes(&messages);
    if bytes > MAX_INPUT {
        return Err(LlmError::InputTooLarge { bytes, max: MAX_INPUT }.into());
    }
    let tools = talk.tools.iter().map(|one| spec(one)).collect();
    Ok(Asked { inputs, schema, messages, tools, left_out: left_out.unwrap_or_default() })
}

/// An action as a model is shown it: its inputs and params are the arguments.
fn spec(contract: &Contract) -> ToolSpec {
    ToolSpec {
        name: contract.name.clone(),
        description: contract.description.clone(),
        schema: arguments_schema(&contract.arguments()),
    }
}

impl Research {
    async fn say(&self, call: &Call, talk: &PriorTurns<'_>) -> Result<Said, ActionError> {
        let Asked { inputs, schema, messages, tools, left_out } = asked(call, talk)?;
        let (model, terms) = self.deps.chosen(call).await?;
        let Model::Provider(client) = &model else {
            return Ok(built_in::say(call, &model.name(), &inputs, talk, schema, &messages)?);
        };
        let before: u32 = talk.turns.iter().map(|turn| turn.used.turns).sum();
        let (deps, terms, may_ask) = (&self.deps, &terms, talk.may_ask);
        let is_scored = confidence::is_asked(&inputs, schema);
        let fits = &|output, turns| match is_scored {
            true => confidence::checked(output, turns),
            false => answer::whole(output, schema),
        };
        let tools = tools.as_slice();
        let conversation = Conversation {
            client,
            terms,
            deps,
            call,
            schema,
            fits,
            tools,
            may_ask,
            before,
            limits: OF_STEP,
            temperature: temperature_of(call),
        };
        Ok(match conversation.hold(messages).await? {
            (TurnEnd::Asks(asks), used) => Said::Asks { asks, used },
            (TurnEnd::Output(output), used) => {
                let output = warned(output, left_out);
                Said::Answers(Answered { output, model: Some(used) })
            }
        })
    }
}

impl Handler for Research {
    fn name(&self) -> &'static str {
        ResearchWithTools::NAME
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
        output_of(self.answer(call))
    }

    /// Without a conversation around it there are no tools: the model answers from its data.
    fn answer<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Answered> {
        Box::pin(async move {
            let talk = PriorTurns { tools: Vec::new(), turns: Vec::new(), may_ask: false };
            match self.say(call, &talk).await? {
                Said::Answers(answered) => Ok(answered),
                Said::Asks { .. } => Err(LlmError::ChoosesNoTools.into()),
            }
        })
    }

    fn turn<'a>(&'a self, call: &'a Call, talk: &'a PriorTurns<'a>) -> ActionFuture<'a, Said> {
        Box::pin(self.say(call, talk))
    }

    fn model(&self, choice: Option<&ModelChoice>) -> Option<String> {
        Some(self.deps.model_name(choice))
    }

    fn foresee(&self, call: &Call, tools: Vec<Cow<'_, Contract>>) -> Foreseen {
        let (_, params) = arguments::<ResearchWithTools>(call)?;
        let talk = PriorTurns { tools, turns: Vec::new(), may_ask: true };
        let Asked { schema, messages, tools, .. } = asked(call, &talk)?;
        let model = self.deps.model_name(call.model.as_ref());
        let mut asked = foreseen(&model, &messages, schema, (&tools, OF_STEP));
        asked["tools"] = json!(tools);
        asked["rounds"] = params.max_rounds.into();
        Ok(Some(asked))
    }
}
