//! `countersign memory`: what somebody wants models that research for them to know.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::session::Session;
use super::{Caller, FACTORY};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Memory {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Say it anew; what is left out is not known any more.
    Set(Said),
    /// Erase it.
    Erase,
}

#[derive(Debug, Default, Args)]
struct Said {
    /// In which language to answer.
    #[arg(long)]
    language: Option<String>,
    /// In which tone.
    #[arg(long)]
    tone: Option<String>,
    /// In how much detail.
    #[arg(long)]
    detail_level: Option<String>,
    /// How you want to be called.
    #[arg(long)]
    user_name: Option<String>,
    /// For whom you work.
    #[arg(long)]
    company_name: Option<String>,
    /// As what.
    #[arg(long)]
    job_title: Option<String>,
    /// A project that you work on. May be repeated.
    #[arg(long = "recent-project", value_name = "PROJECT")]
    recent_projects: Vec<String>,
    /// Have a model learn more of it from your questions; left out, what was learned is erased.
    #[arg(long)]
    learn: bool,
}

impl Memory {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let door = &session.door;
        let path = format!("{FACTORY}/me/memory");
        let said = match &self.what {
            None => match door.get(&path).await {
                Err(CliError::Refused { status: 404, .. }) => Said::default().body(),
                known => known?,
            },
            Some(What::Set(said)) => door.put(&path, &said.body()).await?,
            Some(What::Erase) => {
                door.delete(&path).await?;
                json!({ "erased": true })
            }
        };
        session.say(&said);
        Ok(())
    }
}

impl Said {
    fn body(&self) -> Value {
        let given = |fields: &[(&str, &Option<String>)]| -> Map<String, Value> {
            let given = fields.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
            given.map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
        };
        let preferences = given(&[
            ("language", &self.language),
            ("tone", &self.tone),
            ("detail_level", &self.detail_level),
        ]);
        let mut facts = given(&[
            ("user_name", &self.user_name),
            ("company_name", &self.company_name),
            ("job_title", &self.job_title),
        ]);
        if !self.recent_projects.is_empty() {
            facts.insert("recent_projects".to_owned(), json!(self.recent_projects));
        }
        let mut body = json!({ "critical_facts": facts, "preferences": preferences });
        if self.learn {
            body["learn"] = true.into();
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_084_what_is_left_out_is_not_said() {
        let said = Said {
            language: Some("German".to_owned()),
            recent_projects: vec!["Owls".to_owned()],
            ..Said::default()
        };
        let expect = json!({
            "critical_facts": { "recent_projects": ["Owls"] }, "preferences": { "language": "German" },
        });
        assert_eq!(said.body(), expect);
        let nothing = json!({ "critical_facts": {}, "preferences": {} });
        assert_eq!(Said::default().body(), nothing);
    }
}
