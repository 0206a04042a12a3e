//! An action as one typed function: its types say what a playbook may write, what the contract lists and what the handler
//! is given.

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::action::{ActionError, Call, Handler};
use crate::catalogue::builtin;
use crate::contract::{Contract, Slot};
use crate::derive;
use crate::explain::{Path, Problem, ProblemKind, explain, sample};
use crate::infer::{Inferred, InputTypes};

/// The declaration of an action.
pub trait Action: Send + Sync + 'static {
    /// The name used in playbooks, snake_case.
    const NAME: &'static str;
    /// The folder of the Lambda that hosts it; empty for what the engine does itself.
    const FUNCTION: &'static str;
    /// What it does, in one sentence.
    const DESCRIPTION: &'static str;
    /// The stable codes of inputs, of params, and of params out of their range that are refused.
    const REFUSED: [&'static str; 3] = ["BAD_INPUT", "BAD_PARAM", "BAD_PARAM"];
    /// Data wired from other steps.
    type Inputs: DeserializeOwned + JsonSchema + Send;
    /// Settings.
    type Params: DeserializeOwned + JsonSchema + Send;
    /// What comes back.
    type Output: Serialize + JsonSchema + Send;

    /// What else the contract says: who may call it, and what it changes.
    #[must_use]
    fn describe(contract: Contract) -> Contract {
        contract
    }

    /// What is wrong with params that fit their schemas: what needs more than one place to be judged.
    #[must_use]
    fn rules(_: &Self::Params) -> Vec<Problem> {
        Vec::new()
    }

    /// What the types of the inputs say about params that fit their schemas, and about the outputs.
    #[must_use]
    fn infer(_: &Self::Params, _: &InputTypes) -> Inferred {
        Inferred::default()
    }
}

/// What an action does, with the arguments in their types. Every such type is a [`Handler`].
pub trait Perform: Send + Sync {
    /// Its declaration.
    type Action: Action;

    /// Does it.
    fn perform(
        &self,
        call: &Call,
        inputs: <Self::Action as Action>::Inputs,
        params: <Self::Action as Action>::Params,
    ) -> impl Future<Output = Result<<Self::Action as Action>::Output, ActionError>> + Send;
}

impl<P: Perform> Handler for P {
    fn name(&self) -> &'static str {
        P::Action::NAME
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move {
            let (inputs, params) = arguments::<P::Action>(call)?;
            let output = self.perform(call, inputs, params).await?;
            let unreadable = |_| ActionError::terminal("OUTPUT_INVALID", "the output is not JSON");
            serde_json::to_value(output).map_err(unreadable)
        })
    }
}

/// The arguments of a call in their types. They are checked again here: what a variable holds is known only now (K-52).
///
/// # Errors
/// The action's own code for arguments that do not fit.
pub fn arguments<A: Action>(call: &Call) -> Result<(A::Inputs, A::Params), ActionError> {
    arguments_of::<A>(&call.inputs, &call.params)
}

/// As [`arguments`], of a call that is only described.
///
/// # Errors
/// As [`arguments`].
pub fn arguments_of<A: Action>(
    inputs: &Map<String, Value>,
    params: &Map<String, Value>,
) -> Result<(A::Inputs, A::Params), ActionError> {
    let slots =
        |side: fn(&Contract) -> &[Slot]| builtin().get(A::NAME).map(side).unwrap_or_default();
    let [bad_input, bad_param, out_of_range] = A::REFUSED;
    let inputs = read(inputs, slots(|contract| &contract.inputs))
        .map_err(|problems| refused(bad_input, &problems))?;
    let params: A::Params =
        read(params, slots(|contract| &contract.params)).map_err(|problems| {
            let all = problems.iter().all(|problem| problem.kind == ProblemKind::OutOfRange);
            refused(if all { out_of_range } else { bad_param }, &problems)
        })?;
    let mut problems = A::rules(&params);
    problems.retain(|problem| problem.kind != ProblemKind::NoEffect);
    if problems.is_empty() { Ok((inputs, params)) } else { Err(refused(bad_param, &problems)) }
}

fn refused(code: &'static str, problems: &[Problem]) -> ActionError {
    let told = problems.iter().map(|problem| match problem.path.steps() {
        [] | [_] => problem.message.clone(),
        _ => format!("{}: {}", problem.path, problem.message),
    });
    let error = ActionError::terminal(code, told.collect::<Vec<_>>().join("; "));
    match problems.iter().find_map(|problem| problem.hint.clone()) {
        Some(hint) => error.with_help(hint),
        None => error,
    }
}

fn read<T: DeserializeOwned>(
    given: &Map<String, Value>,
    slots: &[Slot],
) -> Result<T, Vec<Problem>> {
    let problems: Vec<Problem> =
        slots.iter().flat_map(|slot| problems_of(slot, given.get(&slot.name))).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    typed(given.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())))
}

fn problems_of(slot: &Slot, value: Option<&Value>) -> Vec<Problem> {
    let path = Path::of(&slot.name);
    match (value.filter(|value| !value.is_null()), &slot.schema) {
        (Some(value), Some(schema)) => explain(schema, value, &path, &[]).problems,
        (None, _) if slot.required && slot.default.is_none() => {
            let message = format!("`{}` is missing", slot.name);
            vec![Problem::new(path, ProblemKind::Missing, message)]
        }
        _ => Vec::new(),
    }
}

/// What fits the schemas can be read, which a property test makes sure of.
fn typed<T: DeserializeOwned>(
    given: impl Iterator<Item = (String, Value)>,
) -> Result<T, Vec<Problem>> {
    let unread = |_| {
        let message = "the arguments do not have the form that the action declares";
        vec![Problem::new(Path::default(), ProblemKind::WrongType, message)]
    };
    serde_json::from_value(Value::Object(given.collect())).map_err(unread)
}

/// A declared action without its types.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Declared {
    pub(crate) name: &'static str,
    pub(crate) function: &'static str,
    pub(crate) contract: fn() -> Contract,
    pub(crate) rules: Rules,
    pub(crate) infer: Infer,
}

/// The rules of an action about params that fit their schemas.
pub(crate) type Rules = fn(Map<String, Value>) -> Vec<Problem>;

/// What an action says about the types of a call.
pub(crate) type Infer = fn(Map<String, Value>, &InputTypes) -> Inferred;

impl Declared {
    pub(crate) fn of<A: Action>() -> Self {
        Self {
            name: A::NAME,
            function: A::FUNCTION,
            contract: contract_of::<A>,
            rules: |params| {
                let params = typed::<A::Params>(params.into_iter());
                params.map_or_else(|_| Vec::new(), |params| A::rules(&params))
            },
            infer: |params, inputs| {
                let params = typed::<A::Params>(params.into_iter());
                params.map_or_else(|_| Inferred::default(), |params| A::infer(&params, inputs))
            },
        }
    }
}

/// The contract of a declared action.
#[must_use]
pub fn contract_of<A: Action>() -> Contract {
    A::describe(Contract {
        inputs: derive::arguments::<A::Inputs>(),
        params: derive::arguments::<A::Params>(),
        outputs: derive::outputs::<A::Output>(),
        ..Contract::reading(A::NAME, A::FUNCTION, A::DESCRIPTION)
    })
}

/// The value of a part that is known only during a run, until then.
pub(crate) fn stand_in(value: &mut Value, open: &[(Path, &Value)], at: &Path) {
    if let Some((_, schema)) = open.iter().find(|(path, _)| path == at) {
        // A text stands for a text: rules look at what is around it.
        if !(value.is_string() && explain(schema, value, at, &[]).problems.is_empty()) {
            *value = sample(schema);
        }
        return;
    }
    match value {
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(n, item)| stand_in(item, open, &at.entry(n)));
        }
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(key, value)| stand_in(value, open, &at.key(key)));
        }
        _ => {}
    }
}
