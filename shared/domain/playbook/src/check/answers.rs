//! References below the result of a step with `for_each`: what its calls gave back is one level deeper.

use countersign_registry::{DataType, nearest};
use countersign_wiring::{Segment, type_of_path};

use super::{Check, Mention, types};
use crate::diagnostic::Code;
use crate::draft::DraftKind;
use crate::model::ForEach;
use crate::sink::Sink;

impl Check<'_> {
    /// Reports a path that would fit the answer of a single call. False when there is no reason to.
    pub(super) fn is_of_one_call(
        &self,
        step: usize,
        rest: &[Segment],
        mention: &Mention,
        sink: &mut Sink<'_>,
    ) -> bool {
        let step = &self.draft.steps[step];
        let (Some(_), DraftKind::Action(action)) = (&step.for_each, &step.kind) else {
            return false;
        };
        let (position, below) = match rest.split_first() {
            Some((Segment::Field(field), _)) if is_own(field) => return false,
            Some((Segment::Field(_), _)) => (Segment::Every, rest),
            Some((position, below)) => (position.clone(), below),
            None => return false,
        };
        if type_of_path(&types::action_type(action), below).is_err() {
            return false;
        }
        let above =
            &mention.reference.segments()[..mention.reference.segments().len() - rest.len()];
        let meant = format!(
            "{}{}.results{}.output{}",
            mention.reference.root(),
            written(above),
            written(&[position]),
            written(below)
        );
        let message = format!(
            "`{{{}}}`: `{}` makes one call for each item",
            mention.reference, step.name.text
        );
        let problem = sink.problem(Code::UnknownField, mention.spot, &mention.field, message);
        sink.push(problem.hint(format!("use `{{{meant}}}`")));
        true
    }
}

/// Whether a field is one of the step's own result, or nearly.
fn is_own(field: &str) -> bool {
    let outputs = ForEach::outputs(DataType::Any);
    let names = || outputs.iter().map(|slot| slot.name.as_str());
    names().any(|name| name == field) || nearest(field, names()).is_some()
}

fn written(path: &[Segment]) -> String {
    let each = path.iter().map(|segment| match segment {
        Segment::Field(name) => format!(".{name}"),
        Segment::Index(at) => format!("[{at}]"),
        Segment::Every => "[*]".to_owned(),
    });
    each.collect()
}
