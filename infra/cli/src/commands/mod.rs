//! The commands, one per file, and who they act as.

mod approval_consequence;
mod approval_rows;
mod approval_sends;
mod approval_steps;
mod approval_text;
mod approvals;
mod ask;
mod bench;
mod chat;
mod conversations;
mod decide;
mod demo;
mod down;
mod escalate;
mod extend;
mod fields;
mod floor;
mod following;
mod inline;
mod kind;
mod listed;
mod marked;
mod memory;
mod model_list;
mod monitors;
mod occurrences;
mod one;
mod response_text;
mod reviews;
mod revise;
mod run;
mod runs;
mod schedules;
mod schema;
mod session;
mod sessions;
mod show;
mod siblings;
mod side_by_side;
mod status;
mod strike;
mod teams;
mod todos;
mod token;
mod triggers;
mod up;
mod upload;
mod uploads;
mod user;
mod validate;
mod verify;
mod watch;
mod writing;

use clap::{Args, Subcommand};
use countersign_identity::{Scopes, UserId};
use serde_json::Value;

use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::{Place, Stack};
pub(crate) use crate::visible::{pretty, visible};

/// The prefix of the agent factory's paths.
pub(crate) const FACTORY: &str = "/api/agent-factory";

/// What can be asked of the command line.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the local stack, or bring the running one up to date.
    Up(up::Up),
    /// Stop the local stack; its state stays.
    Down(down::Down),
    /// Say what runs here and where.
    Status(status::Status),
    /// The main job, end to end: filings in, a signature, a report out.
    Demo(demo::Demo),
    /// Make a token of the local stack.
    Token(token::Token),
    /// Add people, grant and revoke.
    User(user::User),
    /// Show or set the least that every approval asks for.
    Floor(floor::Floor),
    /// The models that agents may choose, with prices and budgets of money.
    ModelList(model_list::ModelList),
    /// Check a playbook; prints what is wrong like a compiler.
    Validate(validate::Validate),
    /// Print a JSON Schema, for editors.
    Schema(schema::Schema),
    /// Ask an agent, and wait for its answer.
    Ask(ask::Ask),
    /// Ask an agent one question after the other.
    Chat(chat::Chat),
    /// Start a run.
    Run(run::Run),
    /// List runs.
    Runs(runs::Runs),
    /// Show one run: status, steps, events.
    Show(show::Show),
    /// List schedules, or make, show, enable, disable one, or ask its question now.
    Schedules(schedules::Schedules),
    /// List what schedules and monitors started, or did not, and what became of it.
    Occurrences(occurrences::Occurrences),
    /// List the approvals that wait, or show one.
    Approvals(approvals::Approvals),
    /// Approve what waits.
    Approve(decide::Decide),
    /// Deny what waits.
    Deny(decide::Decide),
    /// Have what waits rewritten by its model, with instructions, before anybody signs it.
    Revise(revise::Revise),
    /// Strike rows out of what waits, before anybody signs it.
    Strike(strike::Strike),
    /// Give what waits more time.
    Extend(extend::Extend),
    /// Ask those now whom a gate names for later.
    Escalate(escalate::Escalate),
    /// List doubtful merges of entities, or show, decide or reverse one.
    Reviews(reviews::Reviews),
    /// List monitors, or make, show, pause, resume, reset one, or let it look now.
    Monitors(monitors::Monitors),
    /// List triggers, or make, show, pause or resume one, or make and take back keys of its webhook.
    Triggers(triggers::Triggers),
    /// List conversations with agents, show what was asked and answered in one, or rename or remove it.
    Conversations(conversations::Conversations),
    /// Show, say anew or erase what models that research for you are to know of you.
    Memory(memory::Memory),
    /// List your sessions with when they began, or those of somebody else.
    Sessions(sessions::Sessions),
    /// List teams and their posts, write one, share agents with them, or manage teams.
    Teams(teams::Teams),
    /// List to-dos, show one, or tick one off.
    Todos(todos::Todos),
    /// Show what happens, as it happens: runs that end, approvals, notifications.
    Watch(watch::Watch),
    /// List uploaded files, or remove one.
    Uploads(uploads::Uploads),
    /// Measure.
    Bench(bench::Bench),
    /// Verify a ledger's export, offline.
    Verify(verify::Verify),
}

impl Command {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let open = async |caller: &Caller| caller.session(place, console).await;
        match self {
            Self::Up(command) => command.run(place, console).await,
            Self::Down(command) => command.run(place, console).await,
            Self::Status(command) => command.run(place, console).await,
            Self::Demo(command) => command.run(place, console).await,
            Self::Token(command) => command.run(place, console).await,
            Self::User(command) => command.run(place, console).await,
            Self::Floor(command) => command.run(place, console).await,
            Self::ModelList(command) => command.run(place, console).await,
            Self::Validate(command) => command.run(console),
            Self::Schema(command) => command.run(console),
            Self::Bench(command) => command.run(place, console).await,
            Self::Verify(command) => command.run(place, console).await,
            Self::Ask(command) => command.run(place, console).await,
            Self::Chat(command) => command.run(place, console).await,
            Self::Run(command) => command.run(place, console).await,
            Self::Runs(command) => command.run(place, console).await,
            Self::Show(command) => command.run(&open(&command.caller).await?).await,
            Self::Schedules(command) => command.run(&open(&command.caller).await?).await,
            Self::Occurrences(command) => command.run(&open(&command.caller).await?).await,
            Self::Approvals(command) => command.run(&open(&command.caller).await?).await,
            Self::Approve(command) => command.run("approve", place, console).await,
            Self::Revise(command) => command.run(&open(&command.caller).await?).await,
            Self::Strike(command) => command.run(&open(&command.caller).await?).await,
            Self::Escalate(command) => command.run(&open(&command.caller).await?).await,
            Self::Extend(command) => command.run(&open(&command.caller).await?).await,
            Self::Reviews(command) => command.run(place, console).await,
            Self::Monitors(command) => command.run(&open(&command.caller).await?).await,
            Self::Triggers(command) => command.run(&open(&command.caller).await?).await,
            Self::Conversations(command) => command.run(&open(&command.caller).await?).await,
            Self::Memory(command) => command.run(&open(&command.caller).await?).await,
            Self::Sessions(command) => command.run(&open(&command.caller).await?).await,
            Self::Teams(command) => command.run(place, console).await,
            Self::Todos(command) => command.run(&open(&command.caller).await?).await,
            Self::Watch(command) => command.run(&open(&command.caller).await?).await,
            Self::Uploads(command) => command.run(&open(&command.caller).await?).await,
            Self::Deny(command) => command.run("reject", place, console).await,
        }
    }
}

/// Who asks, and how the answer is printed.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Caller {
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

/// Which deployment a command speaks to, and as whom.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Who {
    /// The address of the deployment, with `https://`; the local stack unless given.
    #[arg(long, global = true, env = "COUNTERSIGN_URL", value_name = "URL")]
    url: Option<String>,
    /// A token of the deployment.
    #[arg(
        long,
        global = true,
        env = "COUNTERSIGN_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
    /// Act as this person of the local stack: an id, a username or a mail address.
    // Commands have arguments called `user`, and clap would take theirs for this one.
    #[arg(id = "as", long = "as", global = true, value_name = "USER", conflicts_with_all = ["token", "url"])]
    user: Option<String>,
}

impl Who {
    /// Whether somebody is named at all.
    fn is_named(&self) -> bool {
        self.url.is_some() || self.token.is_some() || self.user.is_some()
    }

    /// The door of the administrator who is named, or of the operator of the local stack.
    pub(crate) async fn administrator(&self, place: &Place) -> Result<Door, CliError> {
        if self.is_named() { self.door(place).await } else { operator(&place.running()?) }
    }

    /// The door, with the token of the one who acts.
    pub(crate) async fn door(&self, place: &Place) -> Result<Door, CliError> {
        if let Some(token) = &self.token {
            let base = match &self.url {
                Some(url) => url.clone(),
                None => place.running()?.url(),
            };
            return Door::with(&base, token.clone());
        }
        if self.url.is_some() {
            return Err(CliError::Argument(
                "give a token for this address with `--token` or COUNTERSIGN_TOKEN".to_owned(),
            ));
        }
        let stack = place.running()?;
        let Some(user) = &self.user else {
            return Err(CliError::Argument(
                "say who acts: `--as USER` on the local stack, or `--token`".to_owned(),
            ));
        };
        let person = Person::find(&stack, user).await?;
        Door::with(&stack.url(), crate::token::login(&stack, &person.id, person.scopes)?)
    }
}

/// A person of the local stack's directory.
pub(crate) struct Person {
    pub(crate) id: UserId,
    pub(crate) scopes: Scopes,
}

impl Person {
    /// Looks a person up by id, username or mail address.
    pub(crate) async fn find(stack: &Stack, named: &str) -> Result<Self, CliError> {
        if named.is_empty() || named.contains(['/', '?', '#', '%']) {
            return Err(CliError::Argument(format!(
                "`{named}` is not an id, username or mail address"
            )));
        }
        let found = operator(stack)?.get(&format!("/api/admin/users/{named}")).await;
        let nobody = || CliError::Argument(format!("the directory has nobody called `{named}`"));
        let found = match found {
            Err(CliError::Refused { status: 404, .. }) => return Err(nobody()),
            found => found?,
        };
        let id = UserId::parse(&text(&found, "id").unwrap_or_default()).map_err(|_| nobody())?;
        let scopes =
            found.pointer("/standing/scopes").and_then(Value::as_array).into_iter().flatten();
        let scopes: Vec<String> =
            scopes.filter_map(|scope| Some(scope.as_str()?.to_owned())).collect();
        Ok(Self { id, scopes: Scopes::from(scopes) })
    }
}

/// The door of the local stack's operator.
pub(crate) fn operator(stack: &Stack) -> Result<Door, CliError> {
    Door::with(&stack.url(), crate::token::operator(stack)?)
}

/// The items of a page, or of a bare list.
pub(crate) fn items(page: &Value) -> &[Value] {
    let list = page.get("items").unwrap_or(page);
    list.as_array().map_or(&[], Vec::as_slice)
}

/// The items of a list that is a field; none where there is no such field.
pub(crate) fn field_items<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).map_or(&[], items)
}

/// A field, dotted where it is one of a field, as text; numbers and truth values in their JSON form.
pub(crate) fn text(value: &Value, field: &str) -> Option<String> {
    match field.split('.').try_fold(value, |value, name| value.get(name))? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Makes something at a path of the API; its id. `what` is what an error says of something without one.
pub(crate) async fn made(
    door: &Door,
    path: &str,
    body: &Value,
    what: &str,
) -> Result<String, CliError> {
    let made = door.post(&format!("{FACTORY}{path}"), body).await?;
    text(&made, "id").ok_or_else(|| CliError::Found(format!("{what} without an id")))
}

/// One row of a table: the fields' texts, `-` where there is none, moments to the second.
pub(crate) fn row(value: &Value, fields: &[&str]) -> Vec<String> {
    let cell = |field: &&str| {
        text(value, field).map_or_else(|| "-".to_owned(), |text| visible(&brief(text)))
    };
    fields.iter().map(cell).collect()
}

/// A moment without its fraction; any other text as it is.
pub(crate) fn brief(text: String) -> String {
    match text.parse::<jiff::Timestamp>() {
        Ok(_) if text.ends_with('Z') => {
            text.split_once('.').map_or_else(|| text.clone(), |(whole, _)| format!("{whole}Z"))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::row;
    use serde_json::json;

    #[track_caller]
    fn check(value: &serde_json::Value, expect: &str) {
        assert_eq!(row(&json!({ "field": value }), &["field"]), [expect]);
    }

    #[test]
    fn moments_are_told_to_the_second_and_what_moves_the_cursor_is_written_out() {
        check(&json!("2026-11-22T00:11:25.071598634Z"), "2026-11-22T00:11:25Z");
        check(&json!("2026-11-22T00:11:25Z"), "2026-11-22T00:11:25Z");
        check(&json!("version 1.5"), "version 1.5");
        check(&json!(1.5), "1.5");
        check(&json!(null), "-");
        check(&json!("a\u{1b}[2J\nb"), "a\\u{1b}[2J\\nb");
    }
}
