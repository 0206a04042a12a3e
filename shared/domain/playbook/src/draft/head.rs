//! Everything of a playbook but its steps.

use countersign_registry::DataType;

use super::step::Steps;
use super::{Draft, DraftInput, DraftOutput, DraftSection, Source};
use crate::compile_context::CompileContext;
use crate::sink::{Sink, Text};
use crate::written::{Input, Monitor, Output, Playbook, Trigger, Version};

/// The longest version, in characters.
const MAX_VERSION: usize = 40;

impl<'d> Draft<'d> {
    /// Puts together what is written.
    pub(crate) fn of(
        playbook: &'d Playbook,
        source: Source<'d>,
        world: CompileContext<'d>,
        sink: &mut Sink<'_>,
    ) -> Self {
        let inputs = playbook.inputs.iter().enumerate();
        Self {
            id: playbook.id.to_string(),
            name: playbook.name.to_string(),
            description: playbook.description.to_string(),
            version: version(playbook.version.as_ref(), source),
            category: playbook.category,
            tags: tags(playbook),
            required_connectors: connectors(playbook, source),
            execution_mode: playbook.execution_mode,
            run_context: playbook.run_context,
            approval_policy: playbook.approval_policy,
            monitor_config: playbook.monitor_config.as_ref().map(Monitor::model),
            triggers: playbook.triggers.iter().map(Trigger::model).collect(),
            inputs: inputs.filter_map(|(n, input)| self::input(n, input, source)).collect(),
            output: playbook.output.as_ref().map(|output| self::output(output, source)),
            steps: Steps::read(playbook, source, world, sink),
        }
    }
}

/// A number is taken as it is written.
fn version(version: Option<&Version>, source: Source<'_>) -> String {
    match version {
        None => "1.0.0".to_owned(),
        Some(Version::Quoted(text)) => text.to_string(),
        Some(Version::Bare(_)) => {
            source.tree.written("/version").chars().take(MAX_VERSION).collect()
        }
    }
}

/// Each once, in order.
fn tags(playbook: &Playbook) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in playbook.tags.iter().map(ToString::to_string) {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

fn connectors(playbook: &Playbook, source: Source<'_>) -> Vec<Text> {
    let named =
        |(n, name): (usize, &String)| source.text(&format!("/required_connectors/{n}"), Some(name));
    playbook.required_connectors.iter().enumerate().filter_map(named).collect()
}

fn input(n: usize, input: &Input, source: Source<'_>) -> Option<DraftInput> {
    let pointer = format!("/inputs/{n}");
    let name = source.name(&format!("{pointer}/name"))?;
    let mut decl = input.model();
    decl.name = name.text;
    let is_typed = !source.read.is_sample(&format!("{pointer}/type"));
    let data_type = if is_typed { decl.input_type.data_type() } else { DataType::Any };
    Some(DraftInput { decl, spot: name.spot, data_type })
}

fn output(output: &Output, source: Source<'_>) -> DraftOutput {
    let sections = output.sections.iter().enumerate().map(|(n, section)| DraftSection {
        title: section.title.to_string(),
        source: source.text(&format!("/output/sections/{n}/source"), Some(&section.source)),
        format: section.format.stored().map(str::to_owned),
        optional: section.optional,
    });
    DraftOutput {
        format: output.format,
        template: source.text("/output/template", output.template.as_deref()),
        sections: sections.collect(),
        auto_enrich_graph: output.auto_enrich_graph,
        save_to: output.save_to,
        summary_prompt: source.text("/output/summary_prompt", output.summary_prompt.as_deref()),
    }
}
