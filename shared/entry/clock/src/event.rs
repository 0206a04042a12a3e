//! What a trigger asks when an event has fired it.

use countersign_profile::Profile;
use countersign_run::{Fired, Occurrence};
use countersign_trigger::{Content, inputs};
use jiff::tz::TimeZone;

use crate::begin::{Asked, NotBegun, Refusal};
use crate::{Clock, Trigger};

impl Clock {
    /// The question of a trigger, with what its event brought.
    pub(crate) async fn of_event(
        &self,
        of: &Occurrence,
        trigger: &Trigger,
        profile: &Profile,
    ) -> Result<Asked, NotBegun> {
        let Some(fired) = &of.fired_by else {
            let message = "nothing says what fired the trigger";
            return Err(NotBegun::Refused(Refusal::new("TRIGGER_REMOVED", message)));
        };
        let playbook = trigger.spec.playbook(&profile.spec).ok_or_else(|| {
            let message = "the trigger names no playbook, and the agent has none that comes first";
            NotBegun::Refused(Refusal::new("PLAYBOOK_NOT_CHOSEN", message))
        })?;
        let content = self.content(of, fired).await?;
        let inputs = inputs(&trigger.spec.inputs, fired, content).map_err(|wrong| {
            let said: Vec<String> = wrong.iter().map(|one| format!("inputs.{one}")).collect();
            let said: String = said.join("; ").chars().take(500).collect();
            NotBegun::Refused(Refusal::new("INVALID_INPUT", said))
        })?;
        Ok(Asked {
            query: trigger.spec.query_template.to_string(),
            day: of.due_at.to_zoned(TimeZone::UTC).date(),
            playbook: Some(playbook.to_owned()),
            inputs,
        })
    }

    /// What the event brought beside what its occurrence says.
    async fn content(&self, of: &Occurrence, fired: &Fired) -> Result<Content, NotBegun> {
        match fired {
            Fired::Webhook { .. } => {
                let body = self.hook_bodies.of(of).await?.unwrap_or_default();
                let body = serde_json::from_slice(&body).map_err(|_| {
                    let message = "the body of the message is not JSON";
                    NotBegun::Refused(Refusal::new("JSON_MALFORMED", message))
                })?;
                Ok(Content::Body(body))
            }
            Fired::After { run, .. } => {
                let response = self.runs.response(run).await;
                let response = response.map_err(|error| NotBegun::Later(error.into()))?;
                Ok(Content::Response(response))
            }
            Fired::File { .. } => Ok(Content::None),
        }
    }
}
