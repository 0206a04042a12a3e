//! A question to an agent: which playbook, which inputs, in which mode, and the run.

use countersign_playbook::ValidPlaybook;
use countersign_profile::Profile;
use countersign_run::{
    ApprovalPolicy, ExecutionMode, GatePolicy, InConversation, OccurrenceId, RunContext, RunId,
    SourceLimit,
};
use countersign_web::{FieldError, Problem};
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::choosing::{self, Chosen, Otherwise, Sought};
use crate::conversation::Within;
use crate::start::{self, Started, Starting};
use crate::{Invoker, Starter, members, run_context, run_mode, understanding};

/// What an agent is asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The run that answers. The same id is the same run, however often it is started.
    pub run: RunId,
    /// The agent.
    pub profile: &'a Profile,
    /// The playbook it follows; the question chooses one when none is named.
    pub playbook: Option<&'a str>,
    /// The question, in the words of whoever asks.
    pub query: &'a str,
    /// The playbook's inputs as far as they are given.
    pub inputs: &'a Map<String, Value>,
    /// The mode that is asked for.
    pub mode: Option<ExecutionMode>,
    /// What `today` and `last month` are relative to.
    pub today: Date,
    /// Who asks: a person, or a clock.
    pub occasion: Occasion,
    /// What asked for the run, when that was no person.
    pub occurrence: Option<OccurrenceId>,
    /// How many runs that may start in a day.
    pub source_limit: Option<SourceLimit<'a>>,
    /// In which conversation it is asked, if in one.
    pub conversation: Option<&'a InConversation>,
}

/// How a question comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// A person asks, perhaps for this context, and perhaps for a run that skips its gates.
    ByHand {
        /// The context that is asked for.
        context: Option<RunContext>,
        /// Whether nobody is to be asked, and what needs a signature is left out.
        skips_gates: bool,
    },
    /// A clock asks.
    Clock(RunContext, ApprovalPolicy),
}

impl Occasion {
    /// A person asks, perhaps for this context; gates ask.
    #[must_use]
    pub fn by_hand(context: Option<RunContext>) -> Self {
        Self::ByHand { context, skips_gates: false }
    }

    /// The run's context, and what is to be said of it.
    fn context(
        self,
        profile: &Profile,
        playbook: &ValidPlaybook,
    ) -> Result<(RunContext, Option<FieldError>), Problem> {
        match self {
            Self::ByHand { context: asked, .. } => {
                let context = run_context::by_hand(profile, playbook, asked)?;
                Ok((context, run_context::raised(asked, context)))
            }
            Self::Clock(context, _) => Ok((context, None)),
        }
    }

    /// Gates open by themselves in runs of clocks only (K-11), and are skipped for people only (K-18).
    fn approval_policy(self) -> GatePolicy {
        match self {
            Self::ByHand { skips_gates: false, .. } => GatePolicy::Require,
            Self::ByHand { skips_gates: true, .. } => GatePolicy::Skip,
            Self::Clock(_, policy) => policy.into(),
        }
    }
}

/// Starts the run that answers a question.
///
/// # Errors
/// A [`Problem`] that says why nothing was started.
pub async fn ask(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Question<'_>,
) -> Result<Started, Problem> {
    start::active(of.profile)?;
    let answer = answer(ctx, invoker, of).await?;
    start::start(ctx, invoker, &answer.starting(of), answer.doubts.clone()).await
}

/// Checks whether a run could start that answers a question: what it would be warned of.
///
/// # Errors
/// A [`Problem`] that says why it would not start.
pub async fn could_answer(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Question<'_>,
) -> Result<Vec<FieldError>, Problem> {
    let answer = answer(ctx, invoker, of).await?;
    let mut said = start::could_start(ctx, invoker, &answer.starting(of)).await?;
    said.extend(answer.doubts);
    Ok(said)
}

/// How a question is answered.
struct Answer {
    chosen: Chosen,
    within: Option<Within>,
    given: understanding::Inputs,
    context: RunContext,
    mode: ExecutionMode,
    doubts: Vec<FieldError>,
}

impl Answer {
    fn starting<'a>(&'a self, of: &Question<'a>) -> Starting<'a> {
        Starting {
            run: of.run.clone(),
            profile: of.profile,
            playbook: &self.chosen.playbook,
            query: of.query,
            inputs: &self.given.all,
            context: self.context,
            occurrence: of.occurrence.clone(),
            source_limit: of.source_limit,
            approval_policy: of.occasion.approval_policy(),
            mode: self.mode,
            chosen_because: self.chosen.because.clone(),
            understood: self.given.understood.clone(),
            repeats: &[],
            found: None,
            made: self.chosen.made,
            within: self.within.as_ref(),
        }
    }
}

async fn answer(ctx: Starter<'_>, invoker: &Invoker, of: &Question<'_>) -> Result<Answer, Problem> {
    let is_member = invoker.shared.is_some();
    if is_member {
        members::check_playbook(of.profile, of.playbook)?;
    }
    let question = start::check_query(of.query);
    let within = match of.conversation {
        Some(wanted) => {
            let with = (invoker.owner(), of.profile);
            Some(Within::of(ctx, with, wanted, (&of.run, of.query)).await?)
        }
        None => None,
    };
    let sought = Sought {
        named: of.playbook,
        question: of.query,
        earlier: within.as_ref().and_then(Within::earlier),
        given: of.inputs,
        today: of.today,
        may_learn: matches!(of.occasion, Occasion::ByHand { .. }) && of.occurrence.is_none(),
    };
    let otherwise = match of.occasion {
        _ if is_member => Otherwise::Nothing,
        Occasion::ByHand { .. } => Otherwise::MadeFirst,
        Occasion::Clock(..) => Otherwise::Made,
    };
    let chosen = choosing::playbook(ctx, invoker.owner(), of.profile, sought, otherwise).await?;
    let valid = &chosen.playbook.playbook;
    let given =
        understanding::inputs(of.profile, valid, of.query, of.inputs, (of.today, is_member));
    let given = given.map_err(|problem| chosen.refused(problem));
    let context = of.occasion.context(of.profile, valid);
    let mode = run_mode::of(Some(of.profile), valid, of.mode);
    let known = Problem::both(question, given);
    let settings = Problem::both(context, mode);
    let ((_, given), ((context, raised), mode)) = Problem::both(known, settings)?;
    if is_member {
        let asked = of.inputs.iter().map(|(name, value)| (name.as_str(), value));
        let understood = given.understood.iter().map(|one| (one.input.as_str(), &one.value));
        members::check_inputs(of.profile, &valid.id, asked.chain(understood))?;
    }
    let doubts = given.doubts.iter().cloned().chain(raised).collect();
    Ok(Answer { chosen, within, given, context, mode, doubts })
}
