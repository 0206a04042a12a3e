//! A conversation in which a model asks for tools, as the handler of its action sees it.

use std::borrow::Cow;

use countersign_run::{ModelUse, ToolAsk};
use serde_json::Value;

use crate::action::Answered;
use crate::contract::Contract;

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolResult {
    /// The output of its action.
    Output(Value),
    /// It was refused, or failed: the stable code, and the message.
    Failed(String, String),
}

/// A turn in which the model asked for tools.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedTurn {
    /// What it asked for, and what came of each.
    pub asks: Vec<(ToolAsk, ToolResult)>,
    /// What the turn used.
    pub used: ModelUse,
}

/// The conversation so far.
#[derive(Debug, Clone)]
pub struct PriorTurns<'t> {
    /// The tools: actions, and endpoints of connectors under the names that the model knows.
    pub tools: Vec<Cow<'t, Contract>>,
    /// The turns before this one.
    pub turns: Vec<AskedTurn>,
    /// Whether the model may ask for tools in this turn.
    pub may_ask: bool,
}

/// What a model says in a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// It asks for tools.
    Asks {
        /// Which.
        asks: Vec<ToolAsk>,
        /// What the turn used.
        used: ModelUse,
    },
    /// It answers. The turns before are not counted in it.
    Answers(Answered),
}
