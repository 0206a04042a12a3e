//! The models that an administrator has listed, read with the view of a step that asks one.

use countersign_plan::PlanStep;
use countersign_registry::action::ReadList;
use countersign_store_directory::Setting;
use countersign_store_kit::Lookup;
use countersign_store_runs::StepView;

use crate::context::Context;

/// Whether a step goes by it.
pub(crate) fn is_needed(context: &Context, step: &PlanStep) -> bool {
    context.registry.get(&step.action).is_some_and(|contract| contract.uses_llm)
}

/// How it is read in the request for the view.
pub(crate) fn lookup(context: &Context) -> Lookup {
    context.rights.setting_lookup(Setting::ModelList)
}

/// What was read. It counts as not read where nothing beside the run was found: the rights of whoever started it are read with it, and
/// somebody has some. What cannot be read as a list is left to whoever reads it by itself, and says so.
pub(crate) fn found(context: &Context, view: &StepView, step: &PlanStep) -> ReadList {
    if !is_needed(context, step) || view.other_tables.is_empty() {
        return ReadList::Not;
    }
    match context.rights.setting_found(Setting::ModelList, &view.other_tables) {
        Ok(None) => ReadList::Read(None),
        Ok(Some(stored)) => match serde_json::from_str(&stored.json) {
            Ok(list) => ReadList::Read(Some(Box::new(list))),
            Err(_) => ReadList::Not,
        },
        Err(_) => ReadList::Not,
    }
}
