//! Everything of a playbook but its steps.

use countersign_wiring::{coerce, runtime_type};

use super::fields::Fields;
use super::step::{self, MAX_NAME, is_name};
use super::{Draft, DraftOutput};
use crate::check::types::input_type;
use crate::compile_context::World;
use crate::diagnostic::Code;
use crate::model::{
    ActiveHours, ApprovalPolicy, Category, ExecutionMode, InputDecl, InputType, MonitorConfig,
    OutputFormat, RunContext, SaveTo, Trigger, TriggerKind,
};
use crate::node::{Node, Text, Yaml};
use crate::sink::{Sink, Spot};

const INTERVALS: [(&str, &str); 7] = [
    ("5m", "5m"),
    ("15m", "15m"),
    ("30m", "30m"),
    ("1h", "1h"),
    ("4h", "4h"),
    ("12h", "12h"),
    ("24h", "24h"),
];

/// The largest regular expression, compiled, in bytes.
const LARGEST_PATTERN: usize = 256 * 1024;

/// Reads the mapping at the top.
pub(super) fn playbook<'w>(
    root: &Node,
    world: World<'w>,
    sink: &mut Sink<'_>,
) -> Option<Draft<'w>> {
    let mut fields = Fields::of(root, "", sink)?;
    let id = fields.required("id", sink);
    check_id(id.as_ref(), sink);
    let name = fields.required("name", sink);
    let mode = [
        ("deterministic", ExecutionMode::Deterministic),
        ("llm_augmented", ExecutionMode::LlmAugmented),
        ("hybrid", ExecutionMode::Hybrid),
    ];
    let execution_mode = fields.choice("execution_mode", &mode, sink).unwrap_or_default();
    let run_context = run_context(&mut fields, sink);
    let draft = Draft {
        id: id.map(|id| id.text).unwrap_or_default(),
        name: name.map(|name| name.text).unwrap_or_default(),
        description: fields.text("description", sink).map(|text| text.text).unwrap_or_default(),
        version: version(&mut fields, sink),
        category: category(&mut fields, sink),
        required_connectors: fields.texts("required_connectors", 50, sink),
        execution_mode,
        run_context,
        approval_policy: policy(&mut fields, run_context, sink),
        monitor_config: monitor(&mut fields, sink),
        triggers: triggers(&mut fields, execution_mode, sink),
        inputs: inputs(&mut fields, sink),
        output: output(&mut fields, execution_mode, sink),
        steps: step::all(&mut fields, world, execution_mode, sink),
    };
    fields.finish(sink);
    Some(draft)
}

fn check_id(id: Option<&Text>, sink: &mut Sink<'_>) {
    let Some(id) = id else { return };
    let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let text = &id.text;
    let fits = text.len() <= 100
        && text.chars().all(kebab)
        && !text.starts_with('-')
        && !text.ends_with('-')
        && !text.contains("--");
    if !fits {
        let words: Vec<String> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|w| !w.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let shown: String = text.chars().take(60).collect();
        let problem =
            sink.problem(Code::InvalidName, id.spot, "id", format!("`{shown}` is not kebab-case"));
        let hint = (!words.is_empty())
            .then(|| format!("write `{}`", words.join("-").chars().take(100).collect::<String>()));
        sink.push(problem.maybe_hint(hint));
    }
}

/// The version is text, but nobody puts 1.0 in quotes: a number is taken as it is written.
fn version(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> String {
    match fields.node("version") {
        None => "1.0.0".to_owned(),
        Some(Node { yaml: Yaml::Number(_), spot }) => {
            sink.lines.written(*spot).chars().take(40).collect()
        }
        Some(_) => fields.text("version", sink).map(|text| text.text).unwrap_or_default(),
    }
}

fn category(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Category {
    let words = [
        ("investigation", Category::Investigation),
        ("monitoring", Category::Monitoring),
        ("analysis", Category::Analysis),
        ("extraction", Category::Extraction),
    ];
    fields.choice("category", &words, sink).unwrap_or_default()
}

fn run_context(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> RunContext {
    let words = [
        ("interactive", RunContext::Interactive),
        ("background", RunContext::Background),
        ("scheduled", RunContext::Scheduled),
        ("monitor", RunContext::Monitor),
    ];
    fields.choice("run_context", &words, sink).unwrap_or_default()
}

/// K-11: gates pass by themselves only where nobody is there to ask.
fn policy(fields: &mut Fields<'_>, context: RunContext, sink: &mut Sink<'_>) -> ApprovalPolicy {
    let words =
        [("require", ApprovalPolicy::Require), ("auto_approve", ApprovalPolicy::AutoApprove)];
    let policy = fields.choice("approval_policy", &words, sink).unwrap_or_default();
    let alone = matches!(context, RunContext::Scheduled | RunContext::Monitor);
    let spot = fields.node("approval_policy").map(|node| node.spot).unwrap_or_default();
    if policy == ApprovalPolicy::AutoApprove && alone {
        let message = "`auto_approve` skips no gate in this release: every gate asks";
        sink.push(sink.problem(Code::AutoApproveUnused, spot, "approval_policy", message));
    }
    if policy == ApprovalPolicy::AutoApprove && !alone {
        let message =
            "`auto_approve` is only for playbooks with `run_context: scheduled` or `monitor`";
        let problem = sink.problem(Code::AutoApproveForbidden, spot, "approval_policy", message);
        sink.push(problem.hint("leave it out: gates then ask"));
    }
    policy
}

fn monitor(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<MonitorConfig> {
    let mut fields = Fields::of(fields.node("monitor_config")?, "monitor_config", sink)?;
    if fields.node("interval").is_none() {
        fields.missing("interval", sink);
    }
    let interval = fields.choice("interval", &INTERVALS, sink);
    let active_hours = fields.node("active_hours").and_then(|node| active_hours(node, sink));
    let suppress_if_empty = fields.flag("suppress_if_empty", true, sink);
    fields.finish(sink);
    Some(MonitorConfig { interval: interval?.to_owned(), active_hours, suppress_if_empty })
}

fn active_hours(node: &Node, sink: &mut Sink<'_>) -> Option<ActiveHours> {
    let mut fields = Fields::of(node, "monitor_config.active_hours", sink)?;
    let start = fields.required("start", sink);
    let end = fields.required("end", sink);
    let timezone = fields.required("timezone", sink);
    for time in [&start, &end].into_iter().flatten().filter(|time| !is_time(&time.text)) {
        let path = fields.path("start");
        let problem = sink.problem(
            Code::WrongShape,
            time.spot,
            &path,
            format!("`{}` is not a time of day", time.text),
        );
        sink.push(problem.hint("write hours and minutes in quotes, such as \"09:30\""));
    }
    if let Some(zone) = timezone.as_ref().filter(|zone| !is_zone(&zone.text)) {
        let problem = sink.problem(
            Code::WrongShape,
            zone.spot,
            &fields.path("timezone"),
            format!("`{}` is not a time zone", zone.text),
        );
        sink.push(problem.hint("write an IANA name such as `Europe/Berlin`, or `UTC`"));
    }
    fields.finish(sink);
    Some(ActiveHours { start: start?.text, end: end?.text, timezone: timezone?.text })
}

fn is_time(text: &str) -> bool {
    let Some((hours, minutes)) = text.split_once(':') else { return false };
    let number = |text: &str, below: u8| {
        text.len() == 2
            && text.bytes().all(|b| b.is_ascii_digit())
            && text.parse::<u8>().is_ok_and(|n| n < below)
    };
    number(hours, 24) && number(minutes, 60)
}

fn is_zone(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'))
    };
    text.len() <= 64 && (text == "UTC" || text.contains('/')) && text.split('/').all(part)
}

fn triggers(fields: &mut Fields<'_>, mode: ExecutionMode, sink: &mut Sink<'_>) -> Vec<Trigger> {
    let nodes = fields.list("triggers", 100, sink);
    nodes.iter().enumerate().filter_map(|(at, node)| trigger(node, at, mode, sink)).collect()
}

fn trigger(node: &Node, at: usize, mode: ExecutionMode, sink: &mut Sink<'_>) -> Option<Trigger> {
    let mut fields = Fields::of(node, &format!("triggers[{at}]"), sink)?;
    let pattern = fields.required("pattern", sink);
    let words = [
        ("keyword", TriggerKind::Keyword),
        ("regex", TriggerKind::Regex),
        ("semantic", TriggerKind::Semantic),
    ];
    let kind = fields.choice("type", &words, sink).unwrap_or(TriggerKind::Keyword);
    let priority = fields
        .integer("priority", -1000..=1000, sink)
        .and_then(|p| i32::try_from(p).ok())
        .unwrap_or(0);
    if kind == TriggerKind::Semantic && mode == ExecutionMode::Deterministic {
        let spot = fields.node("type").map_or(node.spot, |node| node.spot);
        let message = "a semantic trigger calls a model, but `execution_mode` is `deterministic`";
        let problem = sink.problem(Code::ModelForbidden, spot, &fields.path("type"), message);
        sink.push(problem.hint("use `keyword` or `regex`, or `execution_mode: hybrid`"));
    }
    if let Some(pattern) = pattern.as_ref().filter(|_| kind == TriggerKind::Regex) {
        check_pattern(pattern, &fields.path("pattern"), sink);
    }
    fields.finish(sink);
    Some(Trigger { pattern: pattern?.text, kind, priority })
}

fn check_pattern(pattern: &Text, path: &str, sink: &mut Sink<'_>) {
    if let Err(error) = regex::RegexBuilder::new(&pattern.text).size_limit(LARGEST_PATTERN).build()
    {
        let text = error.to_string();
        let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        sink.report(
            Code::BadPattern,
            pattern.spot,
            path,
            format!("the pattern is not a regular expression: {why}"),
        );
    }
}

fn inputs(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Vec<(InputDecl, Spot)> {
    let nodes = fields.list("inputs", 100, sink);
    nodes.iter().enumerate().filter_map(|(at, node)| input(node, at, sink)).collect()
}

fn input(node: &Node, at: usize, sink: &mut Sink<'_>) -> Option<(InputDecl, Spot)> {
    let mut fields = Fields::of(node, &format!("inputs[{at}]"), sink)?;
    let name = fields.required("name", sink);
    let words = [
        ("string", InputType::String),
        ("number", InputType::Number),
        ("decimal", InputType::Decimal),
        ("date", InputType::Date),
        ("entity_name", InputType::EntityName),
        ("list", InputType::List),
    ];
    if fields.node("type").is_none() {
        fields.missing("type", sink);
    }
    let kind = fields.choice("type", &words, sink);
    let description = fields.text("description", sink).map(|text| text.text).unwrap_or_default();
    let required = fields.flag("required", false, sink);
    let default =
        fields.node("default").and_then(|node| default(node, kind, &fields.path("default"), sink));
    let extract_from =
        fields.choice("extract_from", &[("query", "query")], sink).map(str::to_owned);
    fields.finish(sink);
    let name = name?;
    check_variable(&name, sink);
    let spot = name.spot;
    Some((
        InputDecl {
            name: name.text,
            input_type: kind?,
            description,
            required,
            default,
            extract_from,
        },
        spot,
    ))
}

fn default(
    node: &Node,
    kind: Option<InputType>,
    path: &str,
    sink: &mut Sink<'_>,
) -> Option<serde_json::Value> {
    match coerce(node.json(), &input_type(kind?)) {
        Ok(value) => Some(value),
        Err(error) => {
            sink.report(
                Code::TypeMismatch,
                node.spot,
                path,
                format!("the default does not fit: {error}"),
            );
            None
        }
    }
}

fn check_variable(name: &Text, sink: &mut Sink<'_>) {
    let shown: String = name.text.chars().take(60).collect();
    if runtime_type(&name.text).is_some() {
        let message = format!("`{shown}` is a variable of every run already");
        sink.report(Code::Ambiguous, name.spot, "inputs", message);
    } else if !is_name(&name.text) {
        let message = format!("`{shown}` is not a name");
        let problem = sink.problem(Code::InvalidName, name.spot, "inputs", message);
        sink.push(
            problem.hint(format!(
                "use a letter, then letters, digits, `_` and `-`, at most {MAX_NAME}"
            )),
        );
    }
}

fn output(
    fields: &mut Fields<'_>,
    mode: ExecutionMode,
    sink: &mut Sink<'_>,
) -> Option<DraftOutput> {
    let mut fields = Fields::of(fields.node("output")?, "output", sink)?;
    let formats = [
        ("markdown", OutputFormat::Markdown),
        ("json", OutputFormat::Json),
        ("csv", OutputFormat::Csv),
        ("structured", OutputFormat::Structured),
    ];
    let targets = [
        ("document", SaveTo::Document),
        ("workspace", SaveTo::Workspace),
        ("both", SaveTo::Both),
        ("none", SaveTo::None),
    ];
    let summary_prompt = fields.text("summary_prompt", sink);
    if let Some(prompt) = summary_prompt.as_ref().filter(|_| mode == ExecutionMode::Deterministic) {
        let message = "a summary is written by a model, but `execution_mode` is `deterministic`";
        let problem =
            sink.problem(Code::ModelForbidden, prompt.spot, "output.summary_prompt", message);
        sink.push(problem.hint("use `template` or `sections`, or `execution_mode: hybrid`"));
    }
    let sections = fields.list("sections", 50, sink);
    let output = DraftOutput {
        format: fields.choice("format", &formats, sink).unwrap_or_default(),
        template: fields.text("template", sink),
        sections: sections
            .iter()
            .enumerate()
            .filter_map(|(at, node)| section(node, at, sink))
            .collect(),
        auto_enrich_graph: fields.flag("auto_enrich_graph", false, sink),
        save_to: fields.choice("save_to", &targets, sink).unwrap_or_default(),
        summary_prompt,
    };
    fields.finish(sink);
    Some(output)
}

fn section(node: &Node, at: usize, sink: &mut Sink<'_>) -> Option<(String, Text, Option<String>)> {
    let mut fields = Fields::of(node, &format!("output.sections[{at}]"), sink)?;
    let title = fields.required("title", sink);
    let source = fields.required("source", sink);
    let format = fields.text("format", sink).map(|text| text.text);
    fields.finish(sink);
    Some((title?.text, source?, format))
}
