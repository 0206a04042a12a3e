//! From a checked draft to a valid playbook: defaults filled in, references canonical.

use countersign_canonical::canonical_of;
use countersign_registry::TOOL_CONNECT_WRITE;
use countersign_wiring::{Reference, Template, WiringError, map_references};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::check::{Checked, bare};
use crate::draft::{
    Draft, DraftAction, DraftApproval, DraftEach, DraftKind, DraftOutput, DraftStep, Entries,
};
use crate::model::{
    Escalation, ForEach, OnError, OutputDecl, Section, Step, StepKind, ValidPlaybook,
};
use crate::names::Names;
use crate::on_warning::OnWarning;
use crate::sink::Text;
use crate::summary;

/// Builds the playbook. Only called when there are no errors; what then still fails is a defect of this crate, and is
/// told as such.
pub(crate) fn playbook(
    draft: &Draft<'_>,
    names: &Names<'_>,
    checked: &Checked,
) -> Result<ValidPlaybook, String> {
    let lower = Lower { draft, names, checked };
    let top = (0..draft.steps.len()).filter(|&at| draft.steps[at].parent.is_none());
    let mut playbook = ValidPlaybook {
        id: draft.id.clone(),
        name: draft.name.clone(),
        description: draft.description.clone(),
        version: draft.version.clone(),
        category: draft.category,
        tags: draft.tags.clone(),
        required_connectors: draft
            .required_connectors
            .iter()
            .map(|text| text.text.clone())
            .collect(),
        execution_mode: draft.execution_mode,
        run_context: draft.run_context,
        approval_policy: draft.approval_policy,
        monitor_config: draft.monitor_config.clone(),
        triggers: draft.triggers.clone(),
        inputs: draft.inputs.iter().map(|input| input.decl.clone()).collect(),
        steps: top.map(|at| lower.step(at)).collect::<Result<_, _>>()?,
        output: draft.output.as_ref().map(|output| lower.output(output)).transpose()?,
        digest: String::new(),
    };
    playbook
        .steps
        .extend(draft.output.as_ref().map(|output| lower.summary(output)).transpose()?.flatten());
    playbook.digest = digest(&playbook)?;
    Ok(playbook)
}

/// SHA-256 in hex of the canonical form, with an empty digest.
fn digest(playbook: &ValidPlaybook) -> Result<String, String> {
    let canonical = canonical_of(playbook).map_err(|error| error.to_string())?;
    Ok(hex::encode(Sha256::digest(canonical)))
}

struct Lower<'a> {
    draft: &'a Draft<'a>,
    names: &'a Names<'a>,
    checked: &'a Checked,
}

impl Lower<'_> {
    fn step(&self, at: usize) -> Result<Step, String> {
        let step = &self.draft.steps[at];
        let output_key = step.output_key.as_ref().map(|key| key.text.clone());
        let kind = match &step.kind {
            DraftKind::Action(action) => self.action(action, output_key)?,
            DraftKind::Approval(gate) => self.approval(gate)?,
            DraftKind::Parallel => {
                let children = self.names.children(at).iter().map(|&child| self.step(child));
                StepKind::Parallel { steps: children.collect::<Result<_, _>>()?, output_key }
            }
            DraftKind::Unknown => return Err(format!("the step `{}` has no kind", step.name.text)),
        };
        let on_error = self.on_error(at);
        Ok(Step {
            name: step.name.text.clone(),
            description: step.description.clone(),
            kind,
            condition: self.condition(at),
            on_error,
            on_warning: self.on_warning(at),
            retry_count: retries(step, on_error),
            backoff_multiplier: step.backoff_multiplier.unwrap_or_default(),
            timeout_seconds: step.timeout_seconds,
            for_each: step.for_each.as_ref().map(|each| self.for_each(each)).transpose()?,
        })
    }

    /// References to the item keep its name: nothing else in the playbook has it.
    fn for_each(&self, each: &DraftEach) -> Result<ForEach, String> {
        let list = each.list.as_ref().ok_or("a `for_each` has no list")?;
        Ok(ForEach {
            list: self.bare(list)?,
            item: each.item.text.clone(),
            key: each.key.as_ref().map(|key| self.text(key)).transpose()?,
            parallel: each.parallel,
            max: each.max,
        })
    }

    /// The condition. That of a parallel step inside another is moved into its sub-steps, which run in the same stage.
    fn condition(&self, at: usize) -> Option<String> {
        let step = &self.draft.steps[at];
        let inner = matches!(step.kind, DraftKind::Parallel) && step.parent.is_some();
        if inner { None } else { self.joined(at) }
    }

    fn joined(&self, at: usize) -> Option<String> {
        let step = &self.draft.steps[at];
        let canonical = |reference: &Reference| self.names.canonical(reference);
        let own =
            step.condition.as_ref().map(|(condition, _)| condition.map(&canonical).to_string());
        let inner = step.parent.filter(|&parent| self.draft.steps[parent].parent.is_some());
        match (inner.and_then(|parent| self.joined(parent)), own) {
            (Some(outer), Some(own)) => Some(format!("({outer}) AND ({own})")),
            (outer, own) => outer.or(own),
        }
    }

    /// K-50: a failure is skipped only where no effect depends on the step. A gate always stops, and so do the calls for
    /// each item: the next is as doubtful as the one that failed. What is written at a parallel step holds for its
    /// sub-steps.
    fn on_error(&self, at: usize) -> OnError {
        let step = &self.draft.steps[at];
        let stops = step.is_gate() || step.for_each.is_some() || self.checked.leads_to_effect[at];
        let default = if stops { OnError::Stop } else { OnError::Skip };
        self.written(at, |step| step.on_error.as_ref().map(|(given, _)| *given)).unwrap_or(default)
    }

    fn on_warning(&self, at: usize) -> Option<OnWarning> {
        self.written(at, |step| step.on_warning.as_ref().map(|(given, _)| *given))
    }

    /// What is written at the step, or at the parallel step around it.
    fn written<T>(&self, at: usize, of: impl Fn(&DraftStep<'_>) -> Option<T>) -> Option<T> {
        let mut asked = Some(at);
        while let Some(step) = asked.map(|at| &self.draft.steps[at]) {
            let given = of(step);
            if given.is_some() {
                return given;
            }
            asked = step.parent;
        }
        None
    }

    fn action(
        &self,
        action: &DraftAction<'_>,
        output_key: Option<String>,
    ) -> Result<StepKind, String> {
        let contract = action
            .contract
            .ok_or_else(|| format!("the action `{}` has no contract", action.action))?;
        let irreversible = action.irreversible();
        let function = if contract.is_open() && irreversible {
            TOOL_CONNECT_WRITE
        } else {
            &contract.function
        };
        Ok(StepKind::Action {
            action: action.action.clone(),
            inputs: self.entries(&action.inputs)?,
            params: self.entries(&action.params)?,
            output_key,
            output_schema: action.output_schema.clone(),
            llm: action.llm,
            allow_missing: action.allow_missing,
            model: action.model.clone(),
            irreversible,
            function: function.to_owned(),
        })
    }

    fn approval(&self, gate: &DraftApproval) -> Result<StepKind, String> {
        Ok(StepKind::Approval {
            preview_from: gate.preview_from.as_ref().map(|text| self.bare(text)).transpose()?,
            preview_limit: gate.preview_limit,
            preview_columns: gate.preview_columns.clone(),
            prompt: gate
                .prompt
                .as_ref()
                .map(|text| self.text(text))
                .transpose()?
                .unwrap_or_default(),
            timeout_minutes: gate.timeout_minutes,
            escalation: gate.escalation.as_ref().map(|escalation| Escalation {
                to: escalation.to.iter().map(|name| name.text.clone()).collect(),
                after_minutes: escalation.after_minutes,
            }),
            on_reject: gate.on_reject,
            approvers: gate.approvers.iter().map(|name| name.text.clone()).collect(),
            quorum: gate.quorum,
            assurance: gate.assurance.map(|(assurance, _)| assurance),
            revise: gate.revise.iter().map(|name| name.text.clone()).collect(),
        })
    }

    /// The step that sums up the sections, when the output has one.
    fn summary(&self, output: &DraftOutput) -> Result<Option<Step>, String> {
        let Some(prompt) = &output.summary_prompt else { return Ok(None) };
        let mut sections = Vec::with_capacity(output.sections.len());
        for section in &output.sections {
            let source = section.source.as_ref().ok_or("a section has no source")?;
            let source = bare(&source.text).map_err(|error| error.to_string())?;
            let content = self.value(&format!("{{{source}}}").into());
            sections.push((section.title.as_str(), content.map_err(|error| error.to_string())?));
        }
        Ok(Some(summary::step(&prompt.text, sections)))
    }

    fn output(&self, output: &DraftOutput) -> Result<OutputDecl, String> {
        let sections = output.sections.iter().map(|section| {
            let source = section.source.as_ref().ok_or("a section has no source")?;
            Ok(Section {
                title: section.title.clone(),
                source: self.bare(source)?,
                format: section.format.clone(),
                optional: section.optional,
            })
        });
        let summed_up = output.summary_prompt.as_ref().map(|_| Ok(summary::section()));
        Ok(OutputDecl {
            format: output.format,
            template: output.template.as_ref().map(|text| self.text(text)).transpose()?,
            sections: summed_up.into_iter().chain(sections).collect::<Result<_, String>>()?,
            auto_enrich_graph: output.auto_enrich_graph,
            save_to: output.save_to,
            summary_prompt: output.summary_prompt.as_ref().map(|prompt| prompt.text.clone()),
        })
    }

    fn entries(&self, entries: &Entries<'_>) -> Result<Map<String, Value>, String> {
        let entry = |(key, part): &(Text, countersign_document::Part<'_>)| {
            let value = self.value(part.value()).map_err(|error| error.to_string())?;
            Ok((key.text.clone(), value))
        };
        entries.iter().map(entry).collect()
    }

    fn value(&self, value: &Value) -> Result<Value, WiringError> {
        match value {
            Value::String(text) => {
                let whole =
                    Template::parse(text).ok().and_then(|template| template.whole().cloned());
                match whole.and_then(|reference| self.names.spelled_out(&reference)) {
                    Some(results) => Ok(results),
                    None => map_references(value, &|reference| self.names.canonical(reference)),
                }
            }
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let each = fields.iter().map(|(key, item)| Ok((key.clone(), self.value(item)?)));
                each.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    fn text(&self, text: &Text) -> Result<String, String> {
        let template = Template::parse(&text.text).map_err(|error| error.to_string())?;
        Ok(template.map(&|reference| self.names.canonical(reference)).to_string())
    }

    fn bare(&self, text: &Text) -> Result<String, String> {
        let reference = bare(&text.text).map_err(|error| error.to_string())?;
        Ok(self.names.canonical(&reference).to_string())
    }
}

/// K-51: a count that is given holds; `retry` alone means once.
pub(crate) fn retries(step: &DraftStep<'_>, on_error: OnError) -> u32 {
    match step.retry_count {
        Some(count) if on_error == OnError::Retry => count.max(1),
        Some(count) => count,
        None => u32::from(on_error == OnError::Retry),
    }
}
