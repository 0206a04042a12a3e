//! What members of a team see of the journal of an agent that is shared with them (F-234).

use crate::entry::{Entry, Origin};

impl Entry {
    /// The same for members of a team that the agent is shared with: not who signed, where results went, what went wrong, and the notes of
    /// steps.
    #[must_use]
    pub fn for_members(self) -> Self {
        let done = self.steps_completed.len();
        let summary = match (&self.brief, self.origin) {
            (Some(brief), _) => brief.clone(),
            (None, Origin::Step) => self.summary,
            // An entry of an earlier version says who signed.
            (None, _) => format!("{done} steps were done."),
        };
        Self {
            summary,
            detail_entries: Vec::new(),
            outputs_produced: Vec::new(),
            approvals: Vec::new(),
            error_summary: None,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(more: &Value) -> Entry {
        let mut entry = json!({
            "id": "jrnl_0197c3a1b2c3d4e5f60718293a4b5c6d", "agent_profile_id": "prof_1", "execution_id": "run_1",
            "user_id": "user_0197c3a1b2c3d4e5f60718293a4b5c6d", "invoked_by": "user_0197c3a1b2c3d4e5f60718293a4b5c6d",
            "origin": "run", "summary": "Asked: maria approved.", "run_context": "interactive", "task_status": "complete",
            "steps_completed": ["read"], "error_summary": "pay: REFUSED", "created_at": "2026-11-21T10:00:00Z",
            "expires_at": "2027-11-21T10:00:00Z",
        });
        let more = more.as_object().unwrap().clone();
        entry.as_object_mut().unwrap().extend(more);
        serde_json::from_value(entry).unwrap()
    }

    fn check(more: &Value, expect: &str) {
        let seen = entry(more).for_members();
        assert_eq!((seen.summary.as_str(), seen.error_summary), (expect, None));
    }

    #[test]
    fn f_234_members_see_neither_who_signed_nor_what_went_wrong() {
        check(&json!({ "brief": "It was done." }), "It was done.");
        check(&json!({}), "1 steps were done.");
        check(
            &json!({ "origin": "step", "summary": "What the step wrote." }),
            "What the step wrote.",
        );
    }
}
