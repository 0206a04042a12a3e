//! Steps.

use countersign_document::{Problem, Rules};
use schemars::JsonSchema;
use serde::Deserialize;

use super::call::{LlmTask, Tool};
use super::gate::Gate;
use super::report::{check_free, report};
use crate::diagnostic::Code;

/// The most steps, sub-steps included.
pub(crate) const MAX_STEPS: usize = 500;
/// How deep `parallel` may be in `parallel`.
const DEEPEST: usize = 2;

/// Declares a kind of step: the keys that steps of every kind have, and its own.
macro_rules! step {
    (
        $(#[$meta:meta])*
        $name:ident { $($(#[$field_meta:meta])* $field:ident: $field_type:ty,)* }
    ) => {
        #[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
        $(#[$meta])*
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// Its name, which references use: a letter, then letters, digits, `_` and `-`. Unique, sub-steps included.
            pub(crate) name: $crate::written::text::Name,
            /// What people read.
            #[serde(default)]
            pub(crate) description: $crate::written::Setting,
            /// When it runs, such as `{matches.count} > 0`; a step whose condition is false is skipped.
            pub(crate) condition: Option<countersign_document::MaybeBlank<2_000>>,
            $($(#[$field_meta])* pub(crate) $field: $field_type,)*
        }
    };
}
pub(super) use step;

/// One step.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "step_type", rename_all = "snake_case")]
pub(crate) enum Step {
    /// Calls an action.
    Tool(Box<Tool>),
    /// Has a model do something. This release has no action for it.
    LlmTask(Box<LlmTask>),
    /// Asks people.
    Approval(Box<Gate>),
}

/// Reports what is wrong with the steps under a key. `depth` is how many parallel steps they are in.
pub(super) fn all(steps: &[Step], key: &str, depth: usize, rules: &mut Rules<'_>) {
    rules.within(key, |rules| {
        for (n, step) in steps.iter().enumerate() {
            rules.within(n, |rules| step.rules(depth, rules));
        }
    });
}

impl Step {
    fn rules(&self, depth: usize, rules: &mut Rules<'_>) {
        self.check_names(rules);
        match self {
            Self::Tool(tool) if tool.is_parallel() => {
                tool.check_parallel(rules);
                nested(tool, depth, rules);
            }
            Self::Tool(tool) => tool.check_call(rules),
            Self::LlmTask(task) => task.rules(rules),
            Self::Approval(gate) => {
                if depth > 0 {
                    let message = "an approval cannot stand among parallel steps";
                    let hint = "put it before or after the parallel step".to_owned();
                    report(rules, Code::Misplaced, "/name", message, hint);
                }
                gate.rules(rules);
            }
        }
    }

    fn check_names(&self, rules: &mut Rules<'_>) {
        let (name, key) = match self {
            Self::Tool(tool) => (&tool.name, tool.output_key.as_ref()),
            Self::LlmTask(task) => (&task.name, task.output_key.as_ref()),
            Self::Approval(gate) => (&gate.name, None),
        };
        check_free(rules, "/name", name.as_str());
        if let Some(key) = key {
            check_free(rules, "/output_key", key.as_str());
        }
    }
}

fn nested(tool: &Tool, depth: usize, rules: &mut Rules<'_>) {
    if depth >= DEEPEST {
        let message = format!("parallel steps nest deeper than {DEEPEST} levels");
        return report(rules, Code::Misplaced, "/name", message, None);
    }
    match (&tool.parallel_steps, &tool.params.parallel_steps) {
        (Some(steps), _) => all(steps, "parallel_steps", depth + 1, rules),
        (None, Some(steps)) => {
            rules.within("params", |rules| all(steps, "parallel_steps", depth + 1, rules));
        }
        (None, None) if rules.is_sound("/parallel_steps") && rules.is_sound("/params") => {
            let problem = Problem::error(
                Code::MissingKey.as_str(),
                "/parallel_steps",
                "`parallel_steps` is missing",
            );
            let problem = problem.hint("write the steps that run side by side under it".to_owned());
            rules.report(problem.at(rules.span("/name")));
        }
        (None, None) => {}
    }
}
