//! What a question says of a playbook's inputs (F-135): dates, numbers, names and texts in the words people use. And what whoever
//! asks says of themselves ([`AboutPerson`]).
//!
//! No model is asked, and nothing is guessed: what could be meant in two ways is a [`Doubt`], and the input is not given.

mod about;
mod dates;
mod learned;
mod names;
mod numbers;
mod quoted;
mod words;

pub use about::{AboutPerson, Facts, Preferences};
pub use learned::{Finding, LEARN_STEP, Learned, LearnedFrom};

use countersign_playbook::{InputDecl, InputType};
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::words::{Word, words};

/// The names of people, organisations and places in a question: those in quotation marks, else those that are recognised.
#[must_use]
pub fn names_in(question: &str) -> Vec<String> {
    let found = names::found(question, &words(question));
    found.into_iter().filter_map(|one| one.value.as_str().map(str::to_owned)).collect()
}

/// Whether a word, in lower case, only opens questions and says nothing of what they are about, such as `who`.
#[must_use]
pub fn is_opening(word: &str) -> bool {
    names::OPENINGS.contains(&word)
}

/// A value that a question says.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// The input.
    pub input: String,
    /// Its value.
    pub value: Value,
    /// The words it was read from.
    pub words: String,
}

/// An input that a question may say in more than one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The input.
    pub input: String,
    /// What the question says, in a sentence.
    pub message: String,
}

/// What a question says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The values, in the order of the inputs.
    pub understood: Vec<Understood>,
    /// The inputs that are not clear.
    pub doubts: Vec<Doubt>,
}

/// Something in a question that can be a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) value: Value,
    /// The same when it is the end of a span of time, such as a month.
    pub(crate) last: Option<Value>,
    /// Where it is, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Reads the inputs that are to come from the question and are not given. `today` is the day on which it is asked.
#[must_use]
pub fn read(
    question: &str,
    inputs: &[InputDecl],
    given: &Map<String, Value>,
    today: Date,
) -> Reading {
    let is_given = |input: &InputDecl| given.get(&input.name).is_some_and(|value| !value.is_null());
    let open: Vec<&InputDecl> = inputs
        .iter()
        .filter(|input| input.extract_from.as_deref() == Some("query") && !is_given(input))
        .collect();
    let mut reader = Reader::of(question, today);
    // A date is also a number, and a name may be a text: what says most is read first.
    let order = [
        &[InputType::Date][..],
        &[InputType::Number, InputType::Decimal],
        &[InputType::EntityName],
        &[InputType::List],
        &[InputType::String],
    ];
    for types in order {
        let of_type = open.iter().filter(|input| types.contains(&input.input_type));
        reader.read(&of_type.copied().collect::<Vec<_>>());
    }
    let place = |input: &str| inputs.iter().position(|one| one.name == input);
    reader.reading.understood.sort_by_key(|one| place(&one.input));
    reader.reading
}

struct Reader<'q> {
    question: &'q str,
    words: Vec<Word<'q>>,
    today: Date,
    /// What other inputs have taken, in bytes.
    taken: Vec<(usize, usize)>,
    reading: Reading,
}

impl<'q> Reader<'q> {
    fn of(question: &'q str, today: Date) -> Self {
        let words = words(question);
        Self { question, words, today, taken: Vec::new(), reading: Reading::default() }
    }

    /// Reads inputs of one type. Where there are several, a value goes to the one that the question names; which of them is
    /// said first tells nothing.
    fn read(&mut self, inputs: &[&InputDecl]) {
        let mut left = inputs.to_vec();
        // What one takes may leave another with the only value that it can be called by.
        loop {
            let before = left.len();
            left.retain(|input| !self.take_named(input, inputs));
            if left.len() == before {
                break;
            }
        }
        for input in left {
            match (self.candidates(input).as_slice(), inputs) {
                ([], _) => {}
                ([only], [_]) => self.take(input, only),
                (found, _) => self.doubt(input, found),
            }
        }
    }

    /// Gives an input the one value that the question calls by its name; whether there is one.
    fn take_named(&mut self, input: &InputDecl, inputs: &[&InputDecl]) -> bool {
        let own = own_parts(input, inputs);
        let candidates = self.candidates(input).into_iter();
        let named: Vec<Found> =
            candidates.filter(|found| self.is_called(input, &own, found)).collect();
        let [only] = named.as_slice() else { return false };
        self.take(input, only);
        true
    }

    fn candidates(&self, input: &InputDecl) -> Vec<Found> {
        let mut found = match input.input_type {
            InputType::Date => dates::found(&self.words, self.today),
            InputType::Number | InputType::Decimal => {
                numbers::found(&self.words, input.input_type == InputType::Decimal)
            }
            InputType::EntityName => names::found(self.question, &self.words),
            InputType::List => quoted::lists(self.question, &input.name),
            InputType::String => quoted::texts(self.question, &input.name),
        };
        let is_free = |one: &Found| {
            self.taken.iter().all(|(start, end)| one.end <= *start || *end <= one.start)
        };
        found.retain(is_free);
        found
    }

    /// Whether the words around a value are of the input's `own` name, or say on which side of a span it is.
    fn is_called(&self, input: &InputDecl, own: &[&str], found: &Found) -> bool {
        // Small parts such as `to` are words of any question.
        let is_part = |word: &Word<'_>| own.iter().any(|part| part.len() > 2 && word.is(part));
        let before = self.words.iter().filter(|word| word.end <= found.start).rev().take(2);
        let after = self.words.iter().filter(|word| word.start >= found.end).take(1);
        if before.chain(after).any(is_part) {
            return true;
        }
        let spans = [InputType::Date, InputType::Number, InputType::Decimal];
        let side = side_of(own).filter(|_| spans.contains(&input.input_type));
        side.is_some() && side == self.side(found)
    }

    /// On which side of a span a date or number is, by the word before it. `and` ends a span that began with `between`.
    fn side(&self, found: &Found) -> Option<Side> {
        let mut before = self.words.iter().rev().skip_while(|word| word.end > found.start);
        let last = before.next()?;
        if ["from", "since", "after", "between"].iter().any(|word| last.is(word)) {
            return Some(Side::First);
        }
        let ends = ["to", "until", "till", "before", "through"];
        let is_end = ends.iter().any(|word| last.is(word))
            || last.is("and") && before.any(|word| word.is("between"));
        is_end.then_some(Side::Last)
    }

    fn take(&mut self, input: &InputDecl, found: &Found) {
        let name: Vec<&str> = parts(input).collect();
        let last = found.last.as_ref().filter(|_| side_of(&name) == Some(Side::Last));
        self.taken.push((found.start, found.end));
        self.reading.understood.push(Understood {
            input: input.name.clone(),
            value: last.unwrap_or(&found.value).clone(),
            words: self.question.get(found.start..found.end).unwrap_or_default().to_owned(),
        });
    }

    fn doubt(&mut self, input: &InputDecl, found: &[Found]) {
        const MAX_SHOWN: usize = 5;
        let words = found.iter().take(MAX_SHOWN);
        let words = words.filter_map(|one| self.question.get(one.start..one.end));
        let words: Vec<String> = words.map(|words| format!("“{words}”")).collect();
        let more = if found.len() > MAX_SHOWN { " and more" } else { "" };
        let message = format!("the question may mean {}{more}; give it", words.join(" or "));
        self.reading.doubts.push(Doubt { input: input.name.clone(), message });
    }
}

/// The parts of an input's name that no other input of its type has.
fn own_parts<'i>(input: &'i InputDecl, inputs: &[&InputDecl]) -> Vec<&'i str> {
    let others = || inputs.iter().filter(|other| other.name != input.name);
    let is_own = |part: &&str| others().all(|other| parts(other).all(|of_other| of_other != *part));
    parts(input).filter(is_own).collect()
}

fn parts(input: &InputDecl) -> impl Iterator<Item = &str> {
    input.name.split(['_', '-'])
}

/// A side of a span of time, or of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    First,
    Last,
}

/// The side that an input's name speaks of: `date_from`, `since`, `end_date`, `min_amount`.
fn side_of(name: &[&str]) -> Option<Side> {
    let has = |words: &[&str]| name.iter().any(|part| words.contains(part));
    if has(&["from", "since", "start", "after", "first", "begin", "low", "min"]) {
        return Some(Side::First);
    }
    has(&["to", "until", "till", "end", "before", "last", "high", "max"]).then_some(Side::Last)
}

#[cfg(test)]
mod tests;
