//! Fields that nothing in this release reads: a value that could have no effect is refused with the reason (F-170,
//! F-174, F-175, F-293, K-91). The values that mean nothing stay allowed, so that what was read can be sent back.

use countersign_document::{MaybeBlank, Rules, Whole};
use countersign_journal::DetailLevel;
use countersign_run::ExecutionMode;

use crate::built_in;
use crate::read::Written;
use crate::spec::{Skill, SkillType};

/// The code of all these problems.
const CODE: &str = "unavailable";

/// A value without effect.
struct Inert {
    /// Its field.
    pointer: &'static str,
    /// Whether it is there.
    has: fn(&Written) -> bool,
    /// Why it has no effect.
    why: &'static str,
    /// What to do instead.
    hint: &'static str,
}

const NO_PROMPT: &str = "models only fill in the fields of single steps";
const NO_RESEARCH: &str = "it is for the built-in skill `research`, which the agent does not have";
const NO_COLLECTIONS: &str = "this release has no collections of documents";
const LEAVE_OUT: &str = "leave it out";

const FIELDS: [Inert; 6] = [
    Inert {
        pointer: "/max_research_rounds",
        has: |of| of.max_research_rounds != Whole::default() && !of.can_research(),
        why: NO_RESEARCH,
        hint: LEAVE_OUT,
    },
    Inert {
        pointer: "/system_prompt_additions",
        has: |of| says(of.system_prompt_additions.as_ref()) && !of.can_research(),
        why: NO_RESEARCH,
        hint: "leave it out; `description` tells people what the agent is for",
    },
    Inert {
        pointer: "/default_execution_mode",
        has: |of| of.default_execution_mode == ExecutionMode::LlmAugmented,
        why: NO_PROMPT,
        hint: "use `deterministic`, or `hybrid`",
    },
    Inert {
        pointer: "/tool_packs",
        has: |of| !of.tool_packs.is_empty(),
        why: "this release has no packs of tools: a playbook names its actions",
        hint: LEAVE_OUT,
    },
    Inert {
        pointer: "/knowledge_config/read_collections",
        has: |of| !of.knowledge_config.read_collections.is_empty(),
        why: NO_COLLECTIONS,
        hint: LEAVE_OUT,
    },
    Inert {
        pointer: "/knowledge_config/write_collection",
        has: |of| says(of.knowledge_config.write_collection.as_ref()),
        why: NO_COLLECTIONS,
        hint: LEAVE_OUT,
    },
];

fn says<const MAX: usize>(text: Option<&MaybeBlank<MAX>>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}

/// Reports every value that could have no effect.
pub(crate) fn report(written: &Written, rules: &mut Rules<'_>) {
    for inert in FIELDS.iter().filter(|inert| (inert.has)(written)) {
        let name = inert.pointer.rsplit('/').next().unwrap_or_default();
        let message = format!("`{name}` has no effect: {}", inert.why);
        rules.hinted(CODE, inert.pointer, message, inert.hint.to_owned());
    }
    if let Some(text) = written.system_prompt_additions.as_ref() {
        built_in::check_additions(text, rules);
    }
    let journal = &written.journal_config;
    if !journal.auto_journal && journal.detail_level != DetailLevel::default() {
        let message = "`detail_level` has no effect: without `auto_journal` a run writes no entry";
        rules.warning(CODE, "/journal_config/detail_level", message);
    }
    rules.within("skills", |rules| {
        for (index, skill) in written.skills.iter().enumerate() {
            rules.within(index, |rules| of_skill(skill, &written.skills[..index], rules));
        }
    });
}

/// What a skill says that cannot be: a built-in one that there is not, or one that the agent has already.
fn of_skill(skill: &Skill, before: &[Skill], rules: &mut Rules<'_>) {
    if skill.skill_type == SkillType::BuiltIn && rules.is_sound("/skill_type") {
        built_in::check(skill, rules);
    }
    let is_same = |other: &Skill| {
        other.skill_type == skill.skill_type && other.reference.as_str() == skill.reference.as_str()
    };
    if before.iter().any(is_same) {
        let message = format!("the agent has `{}` already", skill.reference.as_str());
        rules.hinted("duplicate", "/reference", message, "keep one of them".to_owned());
    }
}
