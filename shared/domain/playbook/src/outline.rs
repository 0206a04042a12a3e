//! The steps of a playbook as it is written, whatever is wrong with them: problems are told by the name of their step.

use countersign_document::{Part, Tree};

/// The steps, sub-steps after their parallel step.
#[derive(Debug)]
pub(crate) struct Outline {
    steps: Vec<(String, String)>,
}

impl Outline {
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut outline = Self { steps: Vec::new() };
        outline.list(tree.root(), "", "/steps");
        outline
    }

    fn list(&mut self, around: Part<'_>, base: &str, below: &str) {
        let keys = below.split('/').skip(1);
        let Some(list) = keys.into_iter().try_fold(around, Part::get) else { return };
        for (n, step) in list.items().enumerate().filter(|(_, step)| step.value().is_object()) {
            let pointer = format!("{base}{below}/{n}");
            let name = step.get("name").and_then(|name| name.value().as_str());
            let name = name.filter(|name| !name.trim().is_empty());
            let number = self.steps.len() + 1;
            let name = name.map_or_else(|| format!("step {number}"), str::to_owned);
            self.steps.push((pointer.clone(), name));
            self.list(step, &pointer, "/parallel_steps");
            self.list(step, &pointer, "/params/parallel_steps");
        }
    }

    /// The name of the step at a pointer; one without a name is told by its number.
    pub(crate) fn name(&self, pointer: &str) -> Option<&str> {
        self.steps.iter().find(|(own, _)| own == pointer).map(|(_, name)| name.as_str())
    }

    /// The innermost step that a pointer leads into, its name, and the rest of the pointer.
    pub(crate) fn step_of<'p>(&self, pointer: &'p str) -> Option<(&str, &str, &'p str)> {
        let rest_of = |own: &str| pointer.strip_prefix(own).filter(|rest| is_below(rest));
        let inside = self
            .steps
            .iter()
            .filter_map(|(own, name)| Some((own.as_str(), name.as_str(), rest_of(own)?)));
        inside.max_by_key(|(own, ..)| own.len())
    }
}

fn is_below(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}
