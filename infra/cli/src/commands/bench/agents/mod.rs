//! `countersign bench agents`: what a graph of agents costs beside the time of its models, and how soon an answer is seen.

mod first_token;
mod graph;
mod provider;
mod turns;

use clap::Args;

use self::provider::Provider;
use super::Figures;
use super::own_stack::{Own, OwnStack};
use super::run::{Bench, machine};
use crate::console::Console;
use crate::stack::{Place, Profile, UpOptions, peers};

#[derive(Debug, Args)]
pub(crate) struct Agents {}

impl Agents {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let own = Own::of(place, ".countersign/bench-agents")?;
        let Own { project, state } = &own;
        let provider = provider::serve().await?;
        let options = UpOptions {
            name: Some("countersign-bench".to_owned()),
            profile: Profile::Release,
            parameters: asks(&provider),
            ..UpOptions::default()
        };
        let peer = graph::Peer {
            python: peers(project, &place.state()?, console).await?,
            script: project.join("infra/local/langgraph_agents_peer.py"),
            folder: state.join("langgraph"),
            port: provider.port,
        };
        let measure = async |own: &OwnStack<'_>| {
            let bench = Bench::open(&own.stack, own.logs()).await?;
            let mut figures = turns::figures(&bench, &machine(project)?).await?;
            figures.extend(graph::figures(&bench, &peer, console).await?);
            figures.extend(first_token::figures(&bench, &provider, console).await?);
            Ok(figures)
        };
        own.measured(options, console, measure).await
    }
}

/// The parameters of a deployment that asks the benchmark's model, without budgets.
fn asks(provider: &Provider) -> Vec<String> {
    let parameters =
        ["ModelProvider=openai", "ModelName=bench", "ModelTokensPerRun=0", "ModelTokensPerDay=0"];
    let address = format!("ModelUrl=http://127.0.0.1:{}/v1", provider.port);
    parameters.iter().map(|&parameter| parameter.to_owned()).chain([address]).collect()
}
