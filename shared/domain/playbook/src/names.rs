//! What the names in references mean (K-55).

use std::collections::HashMap;

use countersign_registry::DataType;
use countersign_wiring::{Reference, Segment, runtime_type};
use serde_json::{Map, Value};

use crate::diagnostic::Code;
use crate::draft::{Draft, DraftKind};
use crate::sink::{Sink, Spot, Text};

/// What a reference starts from.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// A variable of the playbook or the run.
    Variable(DataType),
    /// A step's result, and the path below it. For a reference through a parallel step: the sub-step's.
    Step(usize, Vec<Segment>),
    /// Nothing of that name.
    Nothing,
    /// A parallel step that has no such sub-step.
    NoSubStep(usize, String),
}

/// The names of a draft.
#[derive(Debug)]
pub(crate) struct Names<'d> {
    draft: &'d Draft<'d>,
    variables: HashMap<&'d str, DataType>,
    keys: HashMap<&'d str, usize>,
    steps: HashMap<&'d str, usize>,
    children: Vec<Vec<usize>>,
}

impl<'d> Names<'d> {
    /// Gathers the names; reports those given twice and those that could mean two things.
    pub(crate) fn of(draft: &'d Draft<'d>, sink: &mut Sink<'_>) -> Self {
        let mut names = Self {
            draft,
            variables: HashMap::new(),
            keys: HashMap::new(),
            steps: HashMap::new(),
            children: vec![Vec::new(); draft.steps.len()],
        };
        let mut seen: HashMap<&str, (Owner, Spot)> = HashMap::new();
        for input in &draft.inputs {
            let name = input.decl.name.as_str();
            claim(&mut seen, name, Owner::Variable, input.spot, "inputs", sink);
            names.variables.entry(name).or_insert_with(|| input.data_type.clone());
        }
        for (at, step) in draft.steps.iter().enumerate() {
            if let Some(parent) = step.parent {
                names.children[parent].push(at);
            }
            let before = sink.enter(Some(step.name.text.clone()));
            claim(&mut seen, &step.name.text, Owner::Step(at), step.name.spot, "name", sink);
            names.steps.entry(&step.name.text).or_insert(at);
            sink.enter(before);
        }
        for (at, step) in draft.steps.iter().enumerate() {
            let Some(key) = step.output_key.as_ref().filter(|key| key.text != step.name.text)
            else {
                continue;
            };
            let before = sink.enter(Some(step.name.text.clone()));
            claim(&mut seen, &key.text, Owner::Key, key.spot, "output_key", sink);
            names.keys.entry(&key.text).or_insert(at);
            sink.enter(before);
        }
        items(draft, &seen, sink);
        names
    }

    /// What a reference starts from.
    pub(crate) fn target(&self, reference: &Reference) -> Target {
        let root = reference.root();
        if let Some(data_type) = runtime_type(root).or_else(|| self.variables.get(root).cloned()) {
            return Target::Variable(data_type);
        }
        let Some(&step) = self.keys.get(root).or_else(|| self.steps.get(root)) else {
            return Target::Nothing;
        };
        self.descend(step, reference.segments())
    }

    fn descend(&self, step: usize, path: &[Segment]) -> Target {
        let parallel = matches!(self.draft.steps[step].kind, DraftKind::Parallel);
        match path.split_first() {
            Some((Segment::Field(field), rest)) if parallel => match self.child(step, field) {
                Some(child) => self.descend(child, rest),
                None => Target::NoSubStep(step, field.clone()),
            },
            Some((segment, _)) if parallel => Target::NoSubStep(step, format!("{segment:?}")),
            _ => Target::Step(step, path.to_vec()),
        }
    }

    fn child(&self, step: usize, field: &str) -> Option<usize> {
        let own = &self.children[step];
        let by_key = own.iter().find(|&&child| self.draft.steps[child].key() == field);
        by_key
            .or_else(|| own.iter().find(|&&child| self.draft.steps[child].name.text == field))
            .copied()
    }

    /// The step of this name; the first one where several have it.
    pub(crate) fn step(&self, name: &str) -> Option<usize> {
        self.steps.get(name).copied()
    }

    /// The sub-steps of a step.
    pub(crate) fn children(&self, step: usize) -> &[usize] {
        &self.children[step]
    }

    /// A step and everything below it.
    pub(crate) fn family(&self, step: usize) -> Vec<usize> {
        let mut family = vec![step];
        family.extend(self.children[step].iter().flat_map(|&child| self.family(child)));
        family
    }

    /// Whether a reference means all results of a parallel step.
    pub(crate) fn is_whole_parallel(&self, reference: &Reference) -> bool {
        matches!(self.target(reference), Target::Step(step, _) if matches!(self.draft.steps[step].kind, DraftKind::Parallel))
    }

    /// The names that steps before `top` and the playbook offer, for suggestions.
    pub(crate) fn visible(&self, top: usize) -> impl Iterator<Item = &'d str> {
        let steps = self.draft.steps.iter().filter(move |step| step.top < top);
        let both = steps.flat_map(|step| {
            [Some(step.name.text.as_str()), step.output_key.as_ref().map(|key| key.text.as_str())]
        });
        both.flatten().chain(self.draft.inputs.iter().map(|input| input.decl.name.as_str()))
    }

    /// The reference with the step's name in front: what a [`crate::ValidPlaybook`] holds.
    pub(crate) fn canonical(&self, reference: &Reference) -> Reference {
        match self.target(reference) {
            Target::Step(step, path) => {
                let mut canonical = reference.clone();
                while canonical.segments().len() > path.len() {
                    let Some(shorter) = canonical.below_first_field() else { break };
                    canonical = shorter;
                }
                canonical.with_root(&self.draft.steps[step].name.text)
            }
            _ => reference.clone(),
        }
    }

    /// A reference to all results of a parallel step, as the object it stands for.
    pub(crate) fn spelled_out(&self, reference: &Reference) -> Option<Value> {
        match self.target(reference) {
            Target::Step(step, _) if matches!(self.draft.steps[step].kind, DraftKind::Parallel) => {
                Some(self.spell(step))
            }
            _ => None,
        }
    }

    fn spell(&self, step: usize) -> Value {
        if !matches!(self.draft.steps[step].kind, DraftKind::Parallel) {
            return Value::String(format!("{{{}}}", self.draft.steps[step].name.text));
        }
        let fields = self.children[step]
            .iter()
            .map(|&child| (self.draft.steps[child].key().to_owned(), self.spell(child)));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Owner {
    Variable,
    Step(usize),
    Key,
}

impl Owner {
    fn what(self) -> &'static str {
        match self {
            Self::Variable => "an input",
            Self::Step(_) => "a step",
            Self::Key => "an output key",
        }
    }
}

fn claim<'d>(
    seen: &mut HashMap<&'d str, (Owner, Spot)>,
    name: &'d str,
    owner: Owner,
    spot: Spot,
    field: &str,
    sink: &mut Sink<'_>,
) {
    let Some((first, at)) = seen.get(name).copied() else {
        seen.insert(name, (owner, spot));
        return;
    };
    if std::mem::discriminant(&first) != std::mem::discriminant(&owner) {
        let hint = "give it a name of its own";
        return ambiguous(first, at, &Text { text: name.to_owned(), spot }, (field, hint), sink);
    }
    let message = format!(
        "`{}` is the name of another {} already",
        shown(name),
        first.what().split(' ').skip(1).collect::<Vec<_>>().join(" ")
    );
    let problem = sink.problem(Code::Duplicate, spot, field, message);
    let place = sink.place(at);
    sink.push(problem.see(place, "the other one").hint("give it a name of its own"));
}

/// The items of `for_each`: several steps may call theirs alike, but nothing else of the playbook.
fn items(draft: &Draft<'_>, seen: &HashMap<&str, (Owner, Spot)>, sink: &mut Sink<'_>) {
    for (step, each) in draft.steps.iter().filter_map(|step| Some((step, step.for_each.as_ref()?)))
    {
        let Some((owner, at)) = seen.get(each.item.text.as_str()) else { continue };
        let before = sink.enter(Some(step.name.text.clone()));
        let left_out = each.item.spot == each.spot;
        let hint = if left_out { "name the item: `as: one`" } else { "give the item another name" };
        ambiguous(*owner, *at, &each.item, ("for_each.as", hint), sink);
        sink.enter(before);
    }
}

fn ambiguous(
    first: Owner,
    at: Spot,
    name: &Text,
    (field, hint): (&str, &str),
    sink: &mut Sink<'_>,
) {
    let message =
        format!("`{}` is also {}: references could mean either", shown(&name.text), first.what());
    let problem = sink.problem(Code::Ambiguous, name.spot, field, message);
    let place = sink.place(at);
    sink.push(problem.see(place, "the other one").hint(hint));
}

fn shown(name: &str) -> String {
    name.chars().take(60).collect()
}
