//! `countersign up`.

use clap::Args;

use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Place, Profile, UpOptions, up};

#[derive(Debug, Args)]
pub(crate) struct Up {
    /// The port on the loopback address, at first 4566; 0 takes a free one. A stack that was up before keeps its port.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// The name of the stack; `countersign` unless given at the first start.
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,
    /// Compile the functions as for AWS: slower to build, quicker to run.
    #[arg(long)]
    release: bool,
    /// A parameter of the template, such as `ModelProvider=openai`; may be given several times. What is not given stays as it
    /// was at the last `up`.
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
}

impl Up {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let profile = if self.release { Profile::Release } else { Profile::Dev };
        let stack = up(
            place,
            &UpOptions {
                port: self.port,
                name: self.stack.clone(),
                profile,
                parameters: self.parameters.clone(),
                ..UpOptions::default()
            },
            console,
        )
        .await?;
        console.line(format!("api      {}/api", stack.url()));
        console.line(format!("openapi  {}/openapi.json", stack.url()));
        console.line(format!("mail     {}", stack.mails()));
        console.line(format!("aws      AWS_ENDPOINT_URL={} AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_REGION=us-east-1", stack.endpoint()));
        console.line(format!("state    {}", place.state()?.display()));
        Ok(())
    }
}
