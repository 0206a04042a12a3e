//! Where the item of a `for_each` is known: under `inputs` and in `key` of its step, and nowhere else.

use countersign_registry::{DataType, nearest};
use countersign_wiring::{Reference, type_of_path};

use super::for_each::list_of;
use super::{Check, Mention, Where, path};
use crate::diagnostic::Code;
use crate::draft::{DraftEach, DraftStep};
use crate::names::Target;
use crate::sink::Sink;

impl Check<'_> {
    /// The type a reference of a step leads to, which may be the item of its list.
    pub(super) fn type_in(&self, at: usize, reference: &Reference) -> DataType {
        match self.item(at, reference) {
            Some(item) => type_of_path(&item, reference.segments()).unwrap_or(DataType::Any),
            None => self.type_of(reference),
        }
    }

    /// The type of the item, when a reference of the step starts from it.
    pub(super) fn item(&self, at: usize, reference: &Reference) -> Option<DataType> {
        let each = self.draft.steps[at].for_each.as_ref()?;
        if each.item.text != reference.root() {
            return None;
        }
        // A name that means something else too was reported; what it refers to is not guessed.
        Some(if self.is_taken(reference) { DataType::Any } else { self.item_type(each) })
    }

    fn is_taken(&self, reference: &Reference) -> bool {
        !matches!(self.names.target(reference), Target::Nothing)
    }

    /// The type of the items. The list cannot refer to its own item, so the item is not looked for in it.
    pub(super) fn item_type(&self, each: &DraftEach) -> DataType {
        match list_of(each).map(|list| self.type_of(&list)) {
            Some(DataType::Array(item)) => *item,
            _ => DataType::Any,
        }
    }

    /// Checks a reference that starts from an item. False when it does not.
    pub(super) fn is_item(&self, at: usize, mention: &Mention, sink: &mut Sink<'_>) -> bool {
        let Some(item) = self.item(at, &mention.reference) else { return false };
        if mention.place == Where::List && self.is_taken(&mention.reference) {
            return false;
        }
        let name = mention.reference.root();
        let written = format!("`{{{}}}`", mention.reference);
        let (code, message, hint) = match mention.place {
            Where::Input | Where::Key => {
                path(&item, mention.reference.segments(), mention, sink);
                return true;
            }
            Where::Param => (
                Code::StepInParams,
                format!("{written} is an item of a list, and params hold settings only"),
                "wire it under `inputs`, or use an input of the playbook".to_owned(),
            ),
            Where::List => (
                Code::UnknownStep,
                format!("{written} is an item of this very list"),
                "name the result of an earlier step or an input of the playbook".to_owned(),
            ),
            _ => (
                Code::UnknownStep,
                format!("`{name}` is known under `inputs` and in `key` only"),
                "the condition decides about the step as a whole; filter the list in a step before it"
                    .to_owned(),
            ),
        };
        let problem = sink.problem(code, mention.spot, &mention.field, message);
        sink.push(problem.hint(hint));
        true
    }

    /// Where the item of this name is known, when it is that of another step.
    pub(super) fn item_of_another(&self, root: &str) -> Option<String> {
        let owns = |step: &&DraftStep<'_>| {
            step.for_each.as_ref().is_some_and(|each| each.item.text == root)
        };
        let owner = self.draft.steps.iter().find(owns)?;
        Some(format!("`{root}` is the item of `{}`, and known in that step only", owner.name.text))
    }

    /// The name an unknown name of a step may stand for, its item included.
    pub(super) fn likely(&self, from: Option<usize>, root: &str) -> Option<&str> {
        let step = from.map(|from| &self.draft.steps[from]);
        let item = step.and_then(|step| step.for_each.as_ref()).map(|each| each.item.text.as_str());
        let top = step.map_or(usize::MAX, |step| step.top);
        nearest(root, self.names.visible(top).chain(item))
    }
}
