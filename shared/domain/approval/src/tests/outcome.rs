//! What people say became of calls whose answer was lost.

use countersign_failure::Failure as _;
use proptest::prelude::*;
use strum::VariantArray as _;

use super::make::{after, attempt, caller, question, request, start, unknown_call, user};
use crate::{
    Attempt, Choice, DecideError, Decided, Door, OutcomeAnswer, Recorded, Request, Status,
    UnknownCall, Verdict, Vote, choices, decide,
};

fn done(n: u32) -> OutcomeAnswer {
    OutcomeAnswer::new(n, Choice::Done, Some("statement 47"))
}

fn not_done(n: u32) -> OutcomeAnswer {
    OutcomeAnswer::new(n, Choice::NotDone, None)
}

fn again(n: u32) -> OutcomeAnswer {
    OutcomeAnswer::new(n, Choice::Again, None)
}

fn approving(request: &Request, answers: &[OutcomeAnswer]) -> Attempt {
    Attempt { answers: answers.to_vec(), ..attempt(request, Verdict::Approve) }
}

fn try_by(
    request: &Request,
    votes: &[Vote],
    n: u8,
    attempt: &Attempt,
) -> Result<Decided, DecideError> {
    decide(request, votes, attempt, &caller(&user(n)), after(i64::from(n)))
}

fn by(request: &Request, votes: &mut Vec<Vote>, n: u8, answers: &[OutcomeAnswer]) -> Recorded {
    let decided = try_by(request, votes, n, &approving(request, answers)).unwrap();
    let Decided::Recorded(recorded) = decided else { panic!("repeated") };
    votes.push(recorded.vote.clone());
    *recorded
}

#[track_caller]
fn check(answers: &[OutcomeAnswer], expect: &[(&str, &str)]) {
    let open = question(1, 1, &[0, 3]);
    let error = try_by(&open, &[], 1, &approving(&open, answers)).unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("ANSWERS_INVALID", 422));
    let DecideError::Answers(problems) = error else { panic!("{error:?}") };
    let said: Vec<(String, String)> =
        problems.iter().map(|one| (one.path(), one.to_string())).collect();
    assert_eq!(said.len(), expect.len(), "{said:?}");
    for ((path, message), (at, words)) in said.iter().zip(expect) {
        assert!(path == at && message.contains(words), "{said:?}");
    }
}

#[test]
fn k_49_every_call_is_answered_and_done_takes_evidence() {
    check(&[], &[("answers", "call 1 has no answer"), ("answers", "call 4 has no answer")]);
    check(&[again(0)], &[("answers", "call 4 has no answer")]);
    check(&[again(0), again(3), again(4)], &[("answers[2].n", "does not ask about call 5")]);
    check(&[again(0), again(3), not_done(3)], &[("answers[2].n", "more than one answer")]);
    let blank = OutcomeAnswer::new(3, Choice::Done, Some(" \n"));
    check(&[again(0), blank], &[("answers[1].evidence", "`done` needs evidence")]);
    let long = OutcomeAnswer::new(3, Choice::NotDone, Some(&"x".repeat(1_001)));
    check(&[again(0), long], &[("answers[1].evidence", "has 1001 characters")]);
    let all: Vec<u32> = (0..21).collect();
    let open = question(1, 1, &all);
    let evidence = "é".repeat(1_000);
    let long = |n: &u32| OutcomeAnswer::new(*n, Choice::Done, Some(&evidence));
    let answers: Vec<OutcomeAnswer> = all.iter().map(long).collect();
    let error = try_by(&open, &[], 1, &approving(&open, &answers)).unwrap_err();
    assert!(error.to_string().contains("all answers has 21000 characters"), "{error}");
}

#[test]
fn nobody_answers_what_was_not_asked() {
    let code = |request: &Request, verdict| {
        let attempt = Attempt { verdict, ..approving(request, &[done(0)]) };
        try_by(request, &[], 1, &attempt).unwrap_err().code()
    };
    assert_eq!(code(&request(1, 1), Verdict::Approve), "ANSWERS_NOT_ASKED");
    assert_eq!(code(&request(1, 1), Verdict::Deny), "ANSWERS_NOT_ASKED");
    assert_eq!(code(&question(1, 1, &[0]), Verdict::Deny), "ANSWERS_NOT_ASKED");
}

#[test]
fn k_49_an_answer_is_recorded_in_vote_receipt_and_end() {
    let open = question(1, 1, &[0, 3]);
    let Recorded { request, vote, receipt, .. } =
        by(&open, &mut Vec::new(), 1, &[again(3), done(0)]);
    assert_eq!(request.status, Status::Approved);
    assert_eq!(vote.answers, [done(0), again(3)]);
    assert_eq!(receipt.choices.as_deref(), Some(choices(&vote.answers).as_slice()));
    assert!(receipt.answers.is_some());
    assert_eq!(request.closed.as_ref().unwrap().answers, vote.answers);
    assert!(request.explains(&receipt));
    let shown = serde_json::to_string(&receipt).unwrap();
    assert!(!shown.contains("statement"), "evidence is anybody's text: {shown}");
    let other =
        by(&open, &mut Vec::new(), 1, &[again(3), OutcomeAnswer::new(0, Choice::Done, Some("x"))]);
    assert_ne!(other.receipt.answers, receipt.answers, "the evidence is sealed too");
}

#[test]
fn what_people_say_of_a_call_never_permits_another() {
    let mut opening = super::make::opening(1);
    opening.subject.kind = crate::Kind::Outcome;
    opening.subject.outcome = vec![unknown_call(0)];
    let open = Request::open(opening, start()).unwrap();
    let root = open.effects.first().unwrap().covered().root;
    let answered = by(&open, &mut Vec::new(), 1, &[done(0)]).request;
    assert!(answered.status == Status::Approved && !answered.allows("gate", &root));
}

#[test]
fn k_49_only_equal_answers_add_up() {
    let (open, mut votes) = (question(3, 2, &[0]), Vec::new());
    let first = by(&open, &mut votes, 1, &[done(0)]);
    let second = by(&first.request, &mut votes, 2, &[not_done(0)]);
    assert_eq!((second.request.status, second.approvals), (Status::Pending, 1));
    let evidence = OutcomeAnswer::new(0, Choice::Done, Some("asked the bank"));
    let third = by(&second.request, &mut votes, 3, std::slice::from_ref(&evidence));
    assert_eq!((third.request.status, third.approvals), (Status::Approved, 2));
    assert_eq!(third.request.closed.unwrap().answers, [evidence]);
    assert!(third.receipt.status == Status::Approved);
}

#[test]
fn k_12_answers_that_can_no_longer_agree_end_without_one() {
    let (open, mut votes) = (question(2, 2, &[0]), Vec::new());
    let first = by(&open, &mut votes, 1, &[done(0)]);
    let second = by(&first.request, &mut votes, 2, &[again(0)]);
    assert_eq!(second.request.status, Status::Denied);
    assert!(second.request.closed.unwrap().answers.is_empty(), "nobody's answer stands");
}

#[test]
fn k_17_the_same_answer_again_gets_the_first_receipt_and_another_none() {
    let (open, mut votes) = (question(2, 2, &[0, 3]), Vec::new());
    let first = by(&open, &mut votes, 1, &[done(0), again(3)]);
    let same = try_by(&first.request, &votes, 1, &approving(&open, &[again(3), done(0)])).unwrap();
    assert!(matches!(same, Decided::Repeated(vote) if vote.receipt == first.receipt.id));
    let other = approving(&open, &[done(0), not_done(3)]);
    let error = try_by(&first.request, &votes, 1, &other).unwrap_err();
    assert_eq!(error.code(), "ALREADY_VOTED");
}

#[test]
fn the_calls_are_part_of_what_is_signed() {
    let digest = |change: &dyn Fn(&mut UnknownCall)| {
        let mut opening = super::make::opening(1);
        opening.subject = crate::Subject::of(crate::Kind::Outcome);
        opening.subject.outcome = vec![unknown_call(0)];
        change(&mut opening.subject.outcome[0]);
        Request::open(opening, start()).unwrap().digest
    };
    let changes: [&dyn Fn(&mut UnknownCall); 9] = [
        &|_| {},
        &|call| call.n = 1,
        &|call| call.leaf = crate::Digest::from_bytes([2; 32]),
        &|call| call.call = 2,
        &|call| call.receipt.push('2'),
        &|call| call.sent_at = after(1),
        &|call| call.target.push('2'),
        &|call| call.key.push('2'),
        &|call| call.key_hours = None,
    ];
    let all: std::collections::BTreeSet<String> =
        changes.iter().map(|change| digest(change).to_string()).collect();
    assert_eq!(all.len(), changes.len());
}

#[test]
fn who_sends_again_is_warned_once_the_key_may_be_forgotten() {
    let call = unknown_call(0);
    assert_eq!(call.again_warning(after(24 * 3_600)), None);
    let late = call.again_warning(after(30 * 3_600)).unwrap();
    assert!(
        late.starts_with(
            "The service remembers a key for 24 hours, and this was sent 30 hours ago."
        )
    );
    let blind = UnknownCall { key_hours: Some(0), ..call.clone() };
    let said = blind.again_warning(after(0)).unwrap();
    assert!(said.starts_with("The service does not recognise a repeated request."), "{said}");
    let silent = UnknownCall { key_hours: None, ..call };
    let said = silent.again_warning(after(0)).unwrap();
    assert!(said.starts_with("The service does not say how long it remembers the key."), "{said}");
}

fn any_answer() -> impl Strategy<Value = OutcomeAnswer> {
    prop_oneof![Just(done(0)), Just(not_done(0)), Just(again(0))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is said in whichever order: an answer stands only when enough people have given that one, and then it is theirs.
    #[test]
    fn k_49_no_answer_stands_without_enough_equal_votes(
        said in prop::collection::vec(prop::option::of(any_answer()), 1..6), quorum in 1u32..4,
    ) {
        let people = u8::try_from(said.len()).unwrap();
        prop_assume!(u32::from(people) >= quorum);
        let mut opening = super::make::opening(people);
        (opening.policy.quorum, opening.policy.denials) = (quorum, 2);
        opening.subject = crate::Subject::of(crate::Kind::Outcome);
        opening.subject.outcome = vec![unknown_call(0)];
        let (mut request, mut votes) = (Request::open(opening, start()).unwrap(), Vec::new());
        for (n, answer) in (1..=people).zip(&said) {
            if request.closed.is_some() { break }
            let attempt = match answer {
                Some(answer) => approving(&request, std::slice::from_ref(answer)),
                None => attempt(&request, Verdict::Deny),
            };
            prop_assert_eq!(attempt.door, Door::Rest);
            let Ok(Decided::Recorded(recorded)) = try_by(&request, &votes, n, &attempt) else {
                return Err(TestCaseError::fail("not recorded"));
            };
            votes.push(recorded.vote.clone());
            request = recorded.request.clone();
            let equal = |choice: Choice| votes.iter().filter(|vote| vote.answers.first().is_some_and(|answer| answer.choice == choice)).count();
            let most = Choice::VARIANTS.iter().copied().map(equal).max().unwrap_or_default();
            let enough = most >= quorum as usize;
            prop_assert_eq!(request.status == Status::Approved, enough && request.status != Status::Denied);
            if request.status == Status::Approved {
                let answers = &request.closed.as_ref().unwrap().answers;
                prop_assert!(equal(answers[0].choice) >= quorum as usize);
            }
        }
        if request.status == Status::Pending {
            prop_assert!(votes.len() < usize::from(people), "everybody voted and it is open");
        }
    }
}
