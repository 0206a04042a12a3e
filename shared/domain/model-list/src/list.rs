//! What an administrator writes.

use countersign_document::{Document, List, MaybeBlank, Rules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::money::{Amount, Cost, Currency};
use crate::name::ModelName;

/// Prices are for so many tokens.
const PER: u128 = 1_000_000;

/// The models that agents may choose beside the one of the deployment, and what may be spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelList {
    /// The currency of every amount in it.
    pub currency: Currency,
    /// The models. That of the deployment is listed for its price; it may be used in any case.
    #[serde(default)]
    pub models: List<ListedModel, 0, 100>,
    /// What the models of one run may cost; left out, any amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_per_run: Option<Amount>,
    /// What the models of one person's runs may cost in a day (UTC); left out, any amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_per_day: Option<Amount>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedModel {
    /// Provider and model, such as `openai/gpt-5-mini`.
    pub model: ModelName,
    /// What it is for.
    #[serde(default)]
    pub description: MaybeBlank<500>,
    /// What a million tokens of what it is shown cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_price: Option<Amount>,
    /// What a million tokens of what it answers cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_price: Option<Amount>,
}

impl ListedModel {
    fn price(&self, currency: &Currency) -> Option<Price> {
        let (input, output) = (self.input_price.as_ref()?, self.output_price.as_ref()?);
        let (input, output) = (input.millionths(), output.millionths());
        Some(Price { input, output, currency: currency.clone() })
    }
}

/// What a model costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Price {
    /// Of a million tokens that it is shown, in millionths.
    input: u64,
    /// Of a million tokens that it answers, in millionths.
    output: u64,
    currency: Currency,
}

impl Price {
    /// What so many tokens cost, rounded up.
    #[must_use]
    pub fn of(&self, input: u64, output: u64) -> Cost {
        let sum = u128::from(self.input) * u128::from(input)
            + u128::from(self.output) * u128::from(output);
        let millionths = u64::try_from(sum.div_ceil(PER)).unwrap_or(u64::MAX);
        Cost { millionths, currency: self.currency.clone() }
    }
}

/// What holds for one model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// What it costs, when that is known.
    pub price: Option<Price>,
    /// What the models of a run may cost.
    pub per_run: Option<Cost>,
    /// What the models of a person's runs may cost in a day.
    pub per_day: Option<Cost>,
}

impl Terms {
    /// Whether there is a budget that nobody could keep, because the price is not known.
    #[must_use]
    pub fn lacks_price(&self) -> bool {
        self.price.is_none() && (self.per_run.is_some() || self.per_day.is_some())
    }
}

impl ModelList {
    /// Whether agents may choose a model.
    #[must_use]
    pub fn allows(&self, model: &str) -> bool {
        self.find(model).is_some()
    }

    /// What holds for a model.
    #[must_use]
    pub fn terms(&self, model: &str) -> Terms {
        let cost = |amount: &Amount| Cost {
            millionths: amount.millionths(),
            currency: self.currency.clone(),
        };
        Terms {
            price: self.find(model).and_then(|listed| listed.price(&self.currency)),
            per_run: self.cost_per_run.as_ref().map(cost),
            per_day: self.cost_per_day.as_ref().map(cost),
        }
    }

    fn find(&self, model: &str) -> Option<&ListedModel> {
        self.models.iter().find(|listed| listed.model.as_str() == model)
    }
}

impl Document for ModelList {
    const KIND: &'static str = "model-list";

    fn rules(&self, rules: &mut Rules<'_>) {
        let budget = match (&self.cost_per_run, &self.cost_per_day) {
            (Some(_), _) => Some("cost_per_run"),
            (None, Some(_)) => Some("cost_per_day"),
            (None, None) => None,
        };
        rules.within("models", |rules| {
            for (index, listed) in self.models.iter().enumerate() {
                let before = &self.models[..index];
                rules.within(index, |rules| one(listed, before, budget, rules));
            }
        });
    }
}

/// What is wrong with one model of the list.
fn one(listed: &ListedModel, before: &[ListedModel], budget: Option<&str>, rules: &mut Rules<'_>) {
    if before.iter().any(|other| other.model == listed.model) {
        let message = format!("`{}` is in the list already", listed.model);
        rules.hinted("duplicate", "/model", message, "keep one of them".to_owned());
    }
    if !rules.is_sound("/input_price") || !rules.is_sound("/output_price") {
        return;
    }
    let (missing, other) = match (&listed.input_price, &listed.output_price) {
        (Some(_), Some(_)) => return,
        (None, Some(_)) => ("/input_price", "`output_price` has a value"),
        (Some(_), None) => ("/output_price", "`input_price` has a value"),
        (None, None) => match budget {
            Some(_) => ("/input_price", "a budget counts what it costs"),
            None => return,
        },
    };
    let name = missing.trim_start_matches('/');
    let message = format!("`{}` needs `{name}`: {other}", listed.model);
    let hint = budget.map_or("write both prices, or none".to_owned(), |budget| {
        format!("write both prices, or leave out `{budget}`")
    });
    rules.hinted("price", missing, message, hint);
}
