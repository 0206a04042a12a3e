//! What the pages ask of the stores and of the gatekeeper, in memory.

use super::*;

impl Look for Shared {
    fn check_link<'a>(
        &'a self,
        _: &'a ApprovalId,
        _: u16,
        link: &'a SignedLink,
    ) -> BoxFuture<'a, Result<(), LinkError>> {
        let version = self.state.lock().unwrap().link_version;
        let newest = self.link(version);
        ready(link.check_current(version, &newest.stored_hash())).boxed()
    }

    fn load<'a>(&'a self, id: &'a ApprovalId) -> Seen<'a, Option<Loaded>> {
        let loaded = self.state.lock().unwrap().loaded.clone();
        ready(Ok(Some(loaded).filter(|loaded| loaded.request.id == *id))).boxed()
    }

    fn newest_checkpoint(&self) -> Seen<'_, Option<Checkpoint>> {
        ready(Ok(None)).boxed()
    }

    fn entry<'a>(&'a self, person: &'a UserId) -> Seen<'a, Option<DirectoryEntry>> {
        ready(Ok(Some(self.person(person)))).boxed()
    }

    fn effects<'a>(&'a self, _: &'a Request) -> Seen<'a, Vec<StepEffects>> {
        let effects = payments();
        ready(Ok(vec![StepEffects { step: "pay".to_owned(), effects, total: 60 }])).boxed()
    }

    fn run<'a>(&'a self, _: &'a Request) -> Seen<'a, Option<SeenRun>> {
        ready(Ok(None)).boxed()
    }

    fn send_problems<'a>(
        &'a self,
        _: &'a Request,
        _: Option<&'a SeenRun>,
        _: &'a [StepEffects],
    ) -> BoxFuture<'a, Vec<SendProblem>> {
        let message = self.state.lock().unwrap().send_problem.clone();
        let of = |message| SendProblem {
            step: "pay".to_owned(),
            if_approved: IfApproved::Fails,
            code: "CONNECTOR_NOT_BOUND",
            message,
        };
        ready(message.map(of).into_iter().collect()).boxed()
    }

    fn unsent<'a>(&'a self, _: &'a Request) -> Seen<'a, u64> {
        ready(Ok(0)).boxed()
    }

    fn rows<'a>(&'a self, _: &'a Request) -> Seen<'a, Option<Value>> {
        ready(Ok(Some(rows(120)))).boxed()
    }

    fn warnings<'a>(&'a self, _: &'a Request) -> Seen<'a, Vec<WarningSentences>> {
        let sentences = (1..=130).map(|row| format!("a.csv, row {row}: no number")).collect();
        let of_step = WarningSentences { step: "read".to_owned(), count: 400, sentences };
        ready(Ok(vec![of_step])).boxed()
    }
}

impl Act for Shared {
    fn decide<'a>(
        &'a self,
        attempting: &'a Attempting,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<GateAnswer, GateError>> {
        self.act();
        ready(self.weigh(attempting, now)).boxed()
    }

    fn strike<'a>(
        &'a self,
        striking: &'a Striking,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Request, GateError>> {
        self.act();
        ready(self.weigh_strike(striking, now)).boxed()
    }

    fn put_code<'a>(
        &'a self,
        _: &'a ApprovalId,
        code: &'a StoredCode,
        now: Timestamp,
    ) -> Seen<'a, CodeIssue> {
        self.act();
        let mut state = self.state.lock().unwrap();
        let known = state.codes.iter().find(|known| same(known, code)).cloned();
        if let Some(fresh) = known.clone().filter(|known| known.is_fresh(now)) {
            return ready(Ok(CodeIssue::Known(fresh))).boxed();
        }
        let allowance = state.allowance.unwrap_or_else(|| CodeAllowance::full(now));
        let issue = match allowance.take(now) {
            Ok(left) => {
                state.allowance = Some(left);
                state.codes.retain(|known| !same(known, code));
                state.codes.push(code.clone());
                CodeIssue::Kept
            }
            Err(next) => known
                .filter(|known| known.is_good(now))
                .map_or(CodeIssue::NotBefore(next), CodeIssue::Known),
        };
        ready(Ok(issue)).boxed()
    }

    fn try_code<'a>(
        &'a self,
        _: &'a ApprovalId,
        _: u32,
        slot: u16,
        scope: &'a CodeScope,
    ) -> Seen<'a, Option<StoredCode>> {
        self.act();
        let mut state = self.state.lock().unwrap();
        let mut codes =
            state.codes.iter_mut().filter(|code| code.slot == slot && code.scope == *scope);
        let code = codes.next().filter(|code| code.tries_left > 0).map(|code| {
            let before = code.clone();
            code.tries_left -= 1;
            before
        });
        ready(Ok(code)).boxed()
    }

    fn spend_code<'a>(
        &'a self,
        _: &'a ApprovalId,
        _: u32,
        slot: u16,
        scope: &'a CodeScope,
    ) -> Seen<'a, ()> {
        self.act();
        self.state.lock().unwrap().codes.retain(|code| code.slot != slot || code.scope != *scope);
        ready(Ok(())).boxed()
    }

    fn send_code<'a>(
        &'a self,
        _: &'a Request,
        _: &'a UserId,
        code: &'a Code,
        _: &'a StoredCode,
    ) -> Seen<'a, ()> {
        self.act();
        self.state.lock().unwrap().mailed.push(code.to_string());
        ready(Ok(())).boxed()
    }
}
