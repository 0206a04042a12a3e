//! The plan as a short picture: what came before, where it waits, what this signature lets happen.

use crate::text::Shown;

/// Stages shown after the gate.
const AFTER: usize = 8;

/// Where a stage stands, seen from the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum StagePlace {
    /// All of it is done.
    Done,
    /// It lies before the gate, and not all of it is done: its steps say what became of them.
    Over,
    /// The run waits here.
    Here,
    /// It follows if this is approved, up to the next gate.
    Covered,
    /// It lies behind a later gate.
    Later,
}

impl StagePlace {
    /// The word a page uses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            StagePlace::Done => "done",
            StagePlace::Over => "before this",
            StagePlace::Here => "waiting for you",
            StagePlace::Covered => "follows approval",
            StagePlace::Later => "needs a further approval",
        }
    }

    /// The class of the style sheet.
    #[must_use]
    pub fn class(self) -> &'static str {
        self.into()
    }
}

/// One step of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepView {
    /// The step's name.
    pub name: Shown,
    /// Whether its effect cannot be taken back.
    pub irreversible: bool,
    /// What must hold for it to run, as its author wrote it.
    pub condition: Option<Shown>,
    /// What became of it, of a step before the gate that was not done: `failed`, `skipped`.
    pub not_done: Option<&'static str>,
}

/// Steps that run together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Where it stands.
    pub place: StagePlace,
    /// Its steps.
    pub steps: Vec<StepView>,
}

/// The stages around the gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// Stages before those shown.
    pub earlier: usize,
    /// The stages shown.
    pub stages: Vec<Stage>,
    /// Following stages not shown.
    pub later: usize,
}

impl Picture {
    /// Stages shown before the gate.
    pub const BEFORE: usize = 4;

    /// Keeps four stages before the gate and eight after it.
    #[must_use]
    pub fn around(mut stages: Vec<Stage>) -> Self {
        let here = stages.iter().position(|stage| stage.place == StagePlace::Here).unwrap_or(0);
        let earlier = here.saturating_sub(Self::BEFORE);
        let later = stages.len().saturating_sub(here + 1 + AFTER);
        stages.truncate(here + 1 + AFTER);
        Self { earlier, stages: stages.split_off(earlier), later }
    }

    /// Whether there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::{Picture, Stage, StagePlace};

    fn check(before: usize, after: usize, expect: (usize, usize, usize)) {
        let stage = |place| Stage { place, steps: Vec::new() };
        let mut stages = vec![stage(StagePlace::Done); before];
        stages.push(stage(StagePlace::Here));
        stages.extend(vec![stage(StagePlace::Covered); after]);
        let picture = Picture::around(stages);
        assert_eq!((picture.earlier, picture.stages.len(), picture.later), expect);
        assert!(picture.stages.iter().any(|stage| stage.place == StagePlace::Here));
    }

    #[test]
    fn long_plans_are_drawn_around_the_gate() {
        check(0, 0, (0, 1, 0));
        check(4, 8, (0, 13, 0));
        check(30, 0, (26, 5, 0));
        check(2, 400, (0, 11, 392));
    }

    #[test]
    fn no_plan_is_no_picture() {
        assert!(Picture::around(Vec::new()).is_empty());
    }
}
