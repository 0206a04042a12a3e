//! Posts of a team that were not there before.

use countersign_document::{Refused, text_type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shape::{Date, Formed};
use crate::{Action, Contract, TEAM_POST_ACCESS};

/// The declaration.
#[derive(Debug)]
pub struct DetectNewTeamPosts;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The team, `team_…`: one that the agent is shared with.
    pub team_id: TeamName,
}

text_type! {
    /// The id of a team.
    pub struct TeamName {
        format: "team-id", code: "team", sample: "team_00000000000000000000000000000000", pattern: r"^team_[0-9a-f]{32}$", check: team
    }
    /// The id of a thread.
    pub struct ThreadName {
        format: "thread-id", code: "thread", sample: "thrd_00000000000000000000000000000000", pattern: r"^thrd_[0-9a-f]{32}$", check: thread
    }
}

fn team(text: &str) -> Result<(), Refused> {
    id(text, "team")
}

fn thread(text: &str) -> Result<(), Refused> {
    id(text, "thrd")
}

fn id(text: &str, prefix: &'static str) -> Result<(), Refused> {
    let form = || format!("must be an id `{prefix}_…` of 32 hexadecimal digits");
    countersign_ids::validate(prefix, text).map_err(|_| Refused::of_key(form()))
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Only posts of these threads, `thrd_…`; left out, all.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub thread_ids: Vec<ThreadName>,
    /// Only posts of so many characters or more.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000))]
    pub min_length: usize,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The new posts, the oldest first.
    pub posts: Vec<NewPost>,
    /// How many there are.
    pub count: usize,
    /// Whether there are more than one look takes; in a monitor the next one goes on with them.
    pub has_more: bool,
    /// Where the step stands once they are processed.
    pub watermark: Option<String>,
    /// Where it stood before.
    pub previous_watermark: Option<String>,
}

/// A post.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct NewPost {
    pub post_id: String,
    pub thread_id: String,
    pub author: String,
    pub author_id: String,
    pub content: String,
    #[schemars(with = "Date")]
    pub created_at: String,
    pub reply_count: u64,
}

impl Action for DetectNewTeamPosts {
    const NAME: &'static str = "detect_new_team_posts";
    const FUNCTION: &'static str = "tool-notify";
    const DESCRIPTION: &'static str =
        "Finds posts of members of a team that were not there at the last look.";
    const REFUSED: [&'static str; 3] = ["DETECT_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;

    fn describe(contract: Contract) -> Contract {
        Contract { requires: vec![TEAM_POST_ACCESS.to_owned()], ..contract }
    }
}
