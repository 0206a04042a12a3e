//! The fields that the columns of a gate name, against the rows it shows.

use countersign_registry::{DataType, Path, field_type};
use countersign_wiring::Reference;

use super::Check;
use crate::diagnostic::Code;
use crate::sink::Sink;

/// Reports columns that no row of `preview_from` has. The columns lay out the requests that are signed, too, and what
/// these hold is not known yet: so it is a warning.
pub(super) fn check(check: &Check<'_>, at: usize, sink: &mut Sink<'_>) {
    let Some(gate) = check.gate(at) else { return };
    let Some(preview) = &gate.preview_from else { return };
    let Ok(reference) = Reference::parse(&preview.text) else { return };
    let DataType::Array(row) = check.type_of(&reference) else { return };
    let DataType::Record(fields) = *row else { return };
    for (n, column) in gate.preview_columns.iter().enumerate() {
        let at = Path::of("preview_columns").entry(n).key("field");
        let Err(problem) = field_type(&fields, &column.field, &at) else { continue };
        let message = format!("the rows of `{}` have no field `{}`", preview.text, column.field);
        let spot = gate.column_spots.get(n).copied().unwrap_or(preview.spot);
        let told = sink.problem(Code::UnknownColumn, spot, &at.to_string(), message);
        sink.push(told.maybe_hint(problem.hint));
    }
}
