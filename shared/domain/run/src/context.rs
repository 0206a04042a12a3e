//! Which context a run gets.

use crate::RunContext;

impl RunContext {
    /// The context of a run that a person starts: the strictest that profile, playbook and request declare, and at most
    /// [`Background`](Self::Background). `Scheduled` and `Monitor` are for runs that a clock starts.
    ///
    /// The context decides whether requesters may sign, so no declaration can loosen another.
    #[must_use]
    pub fn by_hand(declared: impl IntoIterator<Item = Self>) -> Self {
        let strictest = declared.into_iter().max().unwrap_or(Self::Interactive);
        strictest.min(Self::Background)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use RunContext::{Background, Interactive, Monitor, Scheduled};

    fn check(declared: &[RunContext], expect: RunContext) {
        assert_eq!(RunContext::by_hand(declared.iter().copied()), expect, "{declared:?}");
    }

    #[test]
    fn k_11_a_run_by_hand_takes_the_strictest_context_up_to_background() {
        check(&[], Interactive);
        check(&[Interactive, Interactive, Interactive], Interactive);
        check(&[Background, Interactive, Interactive], Background);
        check(&[Interactive, Background, Interactive], Background);
        check(&[Interactive, Interactive, Background], Background);
        check(&[Scheduled, Interactive], Background);
        check(&[Interactive, Monitor], Background);
    }

    fn any_context() -> impl Strategy<Value = RunContext> {
        prop::sample::select(vec![Interactive, Background, Scheduled, Monitor])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_declaration_loosens_another(
            declared in prop::collection::vec(any_context(), 0..4), more in any_context(),
        ) {
            let before = RunContext::by_hand(declared.iter().copied());
            let after = RunContext::by_hand(declared.into_iter().chain([more]));
            prop_assert!(after >= before);
            prop_assert!(matches!(after, Interactive | Background));
        }
    }
}
