//! Pages that leave nothing out: one whole request, the whole question.

use askama::Template;

use super::{EffectStrike, STYLE};
use crate::effect::EffectGroup;
use crate::error::LetterError;
use crate::text::{Shown, fingerprint};

/// One whole request.
#[derive(Debug, Clone)]
pub struct EffectPage {
    /// The request ([`EffectGroup::whole`]).
    pub request: EffectGroup,
    /// Its number in its step, from 1.
    pub number: u64,
    /// How many requests the step makes.
    pub total: u64,
    /// Whether it is struck out; none of a step with one request.
    pub strike: Option<EffectStrike>,
    /// The address of the step's requests, without the number.
    pub effects_url: String,
    /// Where the API has all of it: a path.
    pub whole_at: String,
    /// The address of the decision page.
    pub back_url: String,
    /// The digest that covers it.
    pub digest: String,
}

#[derive(Template)]
#[template(path = "page/effect.html")]
struct EffectHtml<'a> {
    style: &'static str,
    page: &'a EffectPage,
}

impl EffectPage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(EffectHtml { style: STYLE, page: self }.render()?)
    }

    /// Who struck it out, and when.
    fn struck_by(&self) -> Option<&Shown> {
        self.strike.as_ref()?.by.as_ref()
    }

    fn previous(&self) -> String {
        format!("{}/{}", self.effects_url, self.number.saturating_sub(1))
    }

    fn next(&self) -> String {
        format!("{}/{}", self.effects_url, self.number.saturating_add(1))
    }

    fn fingerprint(&self) -> Vec<String> {
        fingerprint(&self.digest)
    }
}

/// The whole question of a gate.
#[derive(Debug, Clone)]
pub struct PromptPage {
    /// The question ([`Shown::whole`]).
    pub prompt: Shown,
    /// That it is older than what was struck out, when something was.
    pub prompt_note: Option<String>,
    /// Who has written the prompt.
    pub prompt_lead: &'static str,
    /// The address of the decision page.
    pub back_url: String,
    /// The digest that covers it.
    pub digest: String,
}

#[derive(Template)]
#[template(path = "page/prompt.html")]
struct PromptHtml<'a> {
    style: &'static str,
    page: &'a PromptPage,
}

impl PromptPage {
    /// Writes the page.
    ///
    /// # Errors
    /// [`LetterError::Render`] when a template fails.
    pub fn html(&self) -> Result<String, LetterError> {
        Ok(PromptHtml { style: STYLE, page: self }.render()?)
    }

    fn fingerprint(&self) -> Vec<String> {
        fingerprint(&self.digest)
    }
}
