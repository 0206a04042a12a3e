//! The endpoints of connectors that the model of a step may ask for.

use countersign_registry::actions::research_with_tools::{ResearchWithTools, endpoint_of};
use countersign_registry::{Action as _, CALL_CONNECTOR};

use super::step::Steps;
use super::{DraftKind, DraftStep, Entries};
use crate::compile_context::EndpointContract;
use crate::diagnostic::Code;
use crate::sink::{Sink, Spot, Text};

impl<'d> Steps<'d> {
    /// Rule 5 (F-164) for each of them: it is there, and may be a tool (K-40, K-44).
    pub(super) fn tools(&self, params: &Entries<'d>, sink: &mut Sink<'_>) {
        for Named { at, name, spot, connector, endpoint } in named(params) {
            let field = format!("params.tools[{at}]");
            let text = |text: &str| Text { text: text.to_owned(), spot };
            let found = self.found((&text(connector), &field), (&text(endpoint), &field), sink);
            if let Some(why) = found.and_then(EndpointContract::not_a_tool) {
                let message = format!("`{name}` cannot be a tool of a model: {why}");
                sink.report(Code::NotAChoice, spot, &field, message);
            }
        }
    }
}

/// An entry of a list of tools that names an endpoint.
struct Named<'a> {
    at: usize,
    name: &'a str,
    spot: Spot,
    connector: &'a str,
    endpoint: &'a str,
}

/// The entries that name an endpoint. Malformed ones are reported with the other params.
fn named<'a>(params: &'a Entries<'_>) -> impl Iterator<Item = Named<'a>> {
    let tools = params.iter().find(|(key, _)| key.text == "tools").map(|(_, part)| part);
    let entries = tools.into_iter().flat_map(|tools| {
        let many = tools.value().as_array().map_or(0, Vec::len);
        (0..many).filter_map(|at| Some((at, tools.entry(at)?)))
    });
    entries.filter_map(|(at, part)| {
        let name = part.value().as_str()?;
        let (connector, endpoint) = endpoint_of(name)?;
        Some(Named { at, name, spot: part.bytes().into(), connector, endpoint })
    })
}

impl DraftStep<'_> {
    /// The connectors that it names, and where.
    pub(crate) fn connectors(&self) -> Vec<(&str, Spot)> {
        let DraftKind::Action(action) = &self.kind else { return Vec::new() };
        match action.action.as_str() {
            ResearchWithTools::NAME => {
                named(&action.params).map(|one| (one.connector, one.spot)).collect()
            }
            CALL_CONNECTOR => {
                let named = action.params.iter().filter(|(key, _)| key.text == "connector");
                let text = named.filter_map(|(_, part)| {
                    part.value().as_str().map(|text| (text, part.bytes().into()))
                });
                text.collect()
            }
            _ => Vec::new(),
        }
    }
}
