//! The detection steps of a monitor's playbook: the only ones a look carries out (F-220).

use std::collections::BTreeSet;
use std::fmt;

use countersign_playbook::{OnWarning, Step, StepKind, ValidPlaybook};
use countersign_registry::{Registry, detects};
use countersign_wiring::references;
use serde_json::{Map, Value};

/// The most detection steps of a monitor: their watermarks are written in one transaction, which takes a hundred items.
pub const MAX_DETECTIONS: usize = 50;

/// A step that looks for something new.
#[derive(Debug, Clone, PartialEq)]
pub struct Detection<'p> {
    /// Its name.
    pub step: &'p str,
    /// Its action.
    pub action: &'p str,
    /// Its inputs, with references to the playbook's variables.
    pub inputs: &'p Map<String, Value>,
    /// Its params, with references to the playbook's variables.
    pub params: &'p Map<String, Value>,
    /// Whether it fails, and ends its run, when it could not read everything.
    pub stops_at_warnings: bool,
}

/// Why a playbook cannot be a monitor's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoDetection {
    /// No step of it looks for anything.
    None,
    /// It has more than [`MAX_DETECTIONS`].
    TooMany(usize),
    /// A detection step runs only sometimes, or once for each item of a list.
    Conditional(String),
    /// A detection step uses another step's result.
    Reads(String),
    /// A step asks or writes before a detection step.
    After(String, String),
    /// A step writes before people were asked.
    Writes(String, String),
}

impl fmt::Display for NoDetection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => {
                f.write_str("it has no detection step, such as one with `detect_new_data`")
            }
            Self::TooMany(found) => {
                write!(
                    f,
                    "it has {found} detection steps; a monitor looks with at most {MAX_DETECTIONS}"
                )
            }
            Self::Conditional(step) => {
                write!(
                    f,
                    "its detection step `{step}` has a condition or a list: a look carries out every detection step, once"
                )
            }
            Self::Reads(step) => {
                write!(
                    f,
                    "its detection step `{step}` uses the result of another step: a look carries out nothing else"
                )
            }
            Self::After(step, detection) => {
                write!(
                    f,
                    "its step `{step}` asks or writes before the detection step `{detection}`"
                )
            }
            Self::Writes(step, gate) => {
                write!(f, "its step `{step}` writes before the gate `{gate}`")
            }
        }
    }
}

/// The detection steps of a playbook.
///
/// # Errors
/// [`NoDetection`] says why it cannot be a monitor's.
pub fn detections<'p>(
    playbook: &'p ValidPlaybook,
    registry: &Registry,
) -> Result<Vec<Detection<'p>>, NoDetection> {
    let steps: Vec<&Step> = playbook.all_steps().collect();
    let names: BTreeSet<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    let mut found = Vec::new();
    let (mut gate, mut first_write): (Option<&str>, Option<&str>) = (None, None);
    for step in &steps {
        match &step.kind {
            StepKind::Approval { .. } => {
                if let (None, Some(write)) = (gate, first_write) {
                    return Err(NoDetection::Writes(write.to_owned(), step.name.clone()));
                }
                gate = gate.or(Some(&step.name));
            }
            StepKind::Parallel { .. } => conditional_group(step)?,
            StepKind::Action { action, inputs, params, .. } if detects(action) => {
                if let Some(earlier) = gate.or(first_write) {
                    return Err(NoDetection::After(earlier.to_owned(), step.name.clone()));
                }
                found.push(detection(step, action, inputs, params, &names)?);
            }
            StepKind::Action { action, irreversible, .. } => {
                let writes = registry.get(action).is_some_and(|contract| contract.writes);
                // One that cannot be taken back asks for itself where no gate covers it.
                if writes && !irreversible {
                    first_write = first_write.or(Some(&step.name));
                }
            }
        }
    }
    match found.len() {
        0 => Err(NoDetection::None),
        n if n > MAX_DETECTIONS => Err(NoDetection::TooMany(n)),
        _ => Ok(found),
    }
}

/// A condition of a parallel step is one of its detection steps.
fn conditional_group(step: &Step) -> Result<(), NoDetection> {
    let has =
        |step: &&Step| matches!(&step.kind, StepKind::Action { action, .. } if detects(action));
    match step.with_descendants().into_iter().find(has) {
        Some(inner) if step.condition.is_some() => {
            Err(NoDetection::Conditional(inner.name.clone()))
        }
        _ => Ok(()),
    }
}

fn detection<'p>(
    step: &'p Step,
    action: &'p str,
    inputs: &'p Map<String, Value>,
    params: &'p Map<String, Value>,
    names: &BTreeSet<&str>,
) -> Result<Detection<'p>, NoDetection> {
    if step.condition.is_some() || step.for_each.is_some() {
        return Err(NoDetection::Conditional(step.name.clone()));
    }
    let reads = |values: &Map<String, Value>| {
        let values = Value::Object(values.clone());
        references(&values).iter().any(|reference| names.contains(reference.root()))
    };
    if reads(inputs) || reads(params) {
        return Err(NoDetection::Reads(step.name.clone()));
    }
    let stops_at_warnings = step.on_warning == Some(OnWarning::Stop);
    Ok(Detection { step: &step.name, action, inputs, params, stops_at_warnings })
}
