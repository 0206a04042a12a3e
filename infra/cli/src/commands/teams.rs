//! `countersign teams`: who works together, what they write, and which agents they share.

mod manage;
mod run;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use self::manage::Manage;
use self::run::{Run, Runs};
use super::listed::{List, narrowed, pages};
use super::one::plain;
use super::session::Session;
use super::{Caller, FACTORY, row, text, visible};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Teams {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    #[command(flatten)]
    Manage(Manage),
    /// List the members of a team of yours.
    Members(Team),
    /// List what members have written, the newest first.
    Posts {
        #[command(flatten)]
        team: Team,
        /// Only this thread, `thrd_…`.
        #[arg(long)]
        thread: Option<String>,
    },
    /// Write a post.
    Post {
        #[command(flatten)]
        team: Team,
        /// The text.
        text: String,
        /// The thread to reply to, `thrd_…`; left out, it begins a new one.
        #[arg(long)]
        thread: Option<String>,
    },
    /// Take the text of a post away.
    RemovePost {
        #[command(flatten)]
        team: Team,
        /// The post, `post_…`.
        post: String,
    },
    /// List the agents that are shared with a team of yours.
    Agents(Team),
    /// Share an agent of yours with a team of yours, or change how it is shared.
    Share {
        #[command(flatten)]
        team: Team,
        /// The agent, `prof_…`.
        agent: String,
        /// The agent may read the team's posts.
        #[arg(long)]
        posts: bool,
        /// What members see of its journal.
        #[arg(long, value_enum, default_value_t = Journal::OwnAndScheduled)]
        journal: Journal,
        /// Members may run it, with what is yours: data sources, documents, knowledge.
        #[arg(long)]
        runs: bool,
    },
    /// Run an agent that is shared with a team of yours.
    Run(Run),
    /// List the runs that you have started with such an agent, or show one.
    Runs(Runs),
    /// Take a share back.
    Unshare {
        #[command(flatten)]
        team: Team,
        /// The agent, `prof_…`.
        agent: String,
    },
}

#[derive(Debug, Args)]
struct Team {
    /// The team, `team_…`.
    #[arg(id = "team_id", value_name = "TEAM")]
    id: String,
}

/// What members see of the journal of an agent.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Journal {
    /// Runs that they started.
    OwnOnly,
    /// These, and runs of schedules and monitors.
    OwnAndScheduled,
    /// Everything.
    Full,
}

impl Journal {
    fn word(self) -> &'static str {
        match self {
            Self::OwnOnly => "own_only",
            Self::OwnAndScheduled => "own_and_scheduled",
            Self::Full => "full",
        }
    }
}

const TEAMS: List =
    List { fields: &["id", "name", "description"], titles: &["TEAM", "NAME", "ABOUT"] };
const MEMBERS: List =
    List { fields: &["user_id", "username", "name"], titles: &["USER", "USERNAME", "NAME"] };
const AGENTS: List = List {
    fields: &[
        "agent_profile_id",
        "name",
        "shared_by_name",
        "team_post_access",
        "journal_visibility",
        "members_run",
    ],
    titles: &["AGENT", "NAME", "OWNER", "READS POSTS", "JOURNAL", "MEMBERS RUN"],
};
const POST: [&str; 5] = ["id", "thread_id", "author", "created_at", "content"];
const POST_TITLES: [&str; 5] = ["POST", "THREAD", "AUTHOR", "WRITTEN", "TEXT"];

impl Teams {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        if let Some(What::Manage(manage)) = &self.what {
            let door = self.caller.who.administrator(place).await?;
            let as_json = self.caller.json;
            return manage.run(&Session { door, as_json, console }).await;
        }
        let session = &self.caller.session(place, console).await?;
        match &self.what {
            None | Some(What::Manage(_)) => TEAMS.show(session, &format!("{FACTORY}/teams")).await,
            Some(What::Members(team)) => MEMBERS.show(session, &team.path("/members")?).await,
            Some(What::Agents(team)) => AGENTS.show(session, &team.path("/agents")?).await,
            Some(What::Run(run)) => run.run(session).await,
            Some(What::Runs(runs)) => runs.run(session).await,
            Some(What::Posts { team, thread }) => {
                let path = narrowed(&team.path("/posts")?, &[("thread_id", thread.clone())])?;
                let page = pages(&session.door, &path, None).await?;
                session.table(&page, &POST_TITLES, |post| row(post, &POST));
                Ok(())
            }
            Some(change) => changed(session, change).await,
        }
    }
}

/// Does what changes something, and says what came of it.
async fn changed(session: &Session<'_>, what: &What) -> Result<(), CliError> {
    let door = &session.door;
    let said = match what {
        What::Post { team, text, thread } => {
            let body = match thread {
                Some(thread) => json!({ "content": text, "thread_id": thread }),
                None => json!({ "content": text }),
            };
            door.post(&team.path("/posts")?, &body).await?
        }
        What::RemovePost { team, post } => {
            door.delete(&team.path(&format!("/posts/{}", plain(post)?))?).await?;
            json!({ "removed": post })
        }
        What::Share { team, agent, posts, journal, runs } => {
            let terms = json!({
                "team_file_access": false, "team_post_access": posts, "journal_visibility": journal.word(),
                "members_run": runs, "is_active": true,
            });
            shared(door, team, agent, terms).await?
        }
        What::Unshare { team, agent } => {
            let path = shares(agent, &format!("/share/{}", plain(&team.id)?))?;
            door.delete(&path).await?;
            json!({ "unshared": agent })
        }
        _ => Value::Null,
    };
    match text(&said, "content") {
        Some(_) => session
            .outcome(&said, |post: &Value| visible(&row(post, &["id", "thread_id"]).join(" in "))),
        None => session.say(&said),
    }
    Ok(())
}

impl Team {
    fn path(&self, below: &str) -> Result<String, CliError> {
        Ok(format!("{FACTORY}/teams/{}{below}", plain(&self.id)?))
    }
}

/// Shares an agent; one that is shared already gets these terms.
async fn shared(door: &Door, team: &Team, agent: &str, mut body: Value) -> Result<Value, CliError> {
    let again = door.put(&shares(agent, &format!("/share/{}", plain(&team.id)?))?, &body).await;
    let Err(CliError::Refused { status: 404, .. }) = again else { return again };
    body["team_id"] = json!(team.id);
    door.post(&shares(agent, "/share")?, &body).await
}

fn shares(agent: &str, below: &str) -> Result<String, CliError> {
    Ok(format!("{FACTORY}/profiles/{}{below}", plain(agent)?))
}
