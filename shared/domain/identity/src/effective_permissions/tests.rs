//! What remains of a token, and what a link gives.

use proptest::prelude::*;

use super::*;

fn user(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

fn account(pool: &str, subject: &str) -> PoolAccount {
    PoolAccount { pool: pool.to_owned(), subject: subject.to_owned() }
}

fn token(token_use: TokenUse, scopes: &[&str], capabilities: &[Capability]) -> Presented {
    Presented {
        user: user(1),
        token_id: "t-1".to_owned(),
        session: Some("s-1".to_owned()),
        account: Some(account("p-1", "a-1")),
        issued_at: 1_000,
        expires_at: None,
        token_use,
        scopes: Scopes::parse(scopes.iter().copied()),
        capabilities: capabilities.iter().copied().collect(),
        second_factor: false,
    }
}

fn entry(scopes: &[&str], capabilities: &[Capability]) -> DirectoryEntry {
    DirectoryEntry {
        user: user(1),
        name: "Ada".to_owned(),
        email: "ada@example.org".to_owned(),
        email_verified: true,
        active: true,
        accounts: Accounts::Any,
        scopes: Scopes::parse(scopes.iter().copied()),
        capabilities: capabilities.iter().copied().collect(),
        not_before: None,
        revoked: BTreeSet::new(),
    }
}

fn check(
    entry: &DirectoryEntry,
    token: &Presented,
    expect: Result<(&[&str], &[Capability]), Refused>,
) {
    let answer = entry.effective(token).map(|caller| (caller.scopes, caller.capabilities));
    let expect = expect.map(|(scopes, capabilities)| {
        (Scopes::parse(scopes.iter().copied()), capabilities.iter().copied().collect())
    });
    assert_eq!(answer, expect);
}

#[test]
fn a_revoked_grant_is_gone_although_the_token_still_claims_it() {
    let claims = token(TokenUse::Login, &["macro:analyst", "esg:reader"], &[Capability::Decide]);
    check(
        &entry(&["macro:analyst"], &[Capability::Decide]),
        &claims,
        Ok((&["macro:analyst"], &[Capability::Decide])),
    );
    check(&entry(&["esg:reader"], &[]), &claims, Ok((&["esg:reader"], &[])));
    check(&entry(&[], &[]), &claims, Ok((&[], &[])));
}

#[test]
fn a_token_narrower_than_the_directory_stays_narrow() {
    let claims = token(TokenUse::Login, &["macro:reader"], &[]);
    check(&entry(&["global:admin"], &[Capability::Decide]), &claims, Ok((&["~macro:reader"], &[])));
}

#[test]
fn k_08_only_a_login_can_carry_decide_and_publish() {
    let all = [Capability::Decide, Capability::Publish, Capability::Administer];
    check(&entry(&[], &all), &token(TokenUse::Login, &[], &all), Ok((&[], &all)));
    check(&entry(&[], &all), &token(TokenUse::Api, &[], &all), Ok((&[], &[])));
    check(
        &entry(&[], &all),
        &token(TokenUse::Service, &[], &all),
        Ok((&[], &[Capability::Administer])),
    );
}

#[test]
fn void_tokens_and_inactive_people_are_refused() {
    let claims = token(TokenUse::Login, &["macro:reader"], &[]);
    let known = entry(&["macro:reader"], &[]);
    check(&DirectoryEntry { active: false, ..known.clone() }, &claims, Err(Refused::Inactive));
    check(
        &DirectoryEntry { not_before: Some(1_001), ..known.clone() },
        &claims,
        Err(Refused::TokenRevoked),
    );
    check(
        &DirectoryEntry { not_before: Some(1_000), ..known.clone() },
        &claims,
        Ok((&["macro:reader"], &[])),
    );
    check(
        &DirectoryEntry { revoked: ["t-1".to_owned()].into(), ..known.clone() },
        &claims,
        Err(Refused::TokenRevoked),
    );
    check(
        &DirectoryEntry { revoked: ["s-1".to_owned()].into(), ..known.clone() },
        &claims,
        Err(Refused::TokenRevoked),
    );
    check(
        &DirectoryEntry { revoked: ["t-2".to_owned()].into(), ..known.clone() },
        &claims,
        Ok((&["macro:reader"], &[])),
    );
    check(&DirectoryEntry { user: user(2), ..known }, &claims, Err(Refused::UnknownUser));
}

#[test]
fn over_a_mailed_link_a_person_has_what_the_directory_says() {
    let known = entry(&["macro:reader"], &[Capability::Decide]);
    let void = DirectoryEntry { not_before: Some(1_001), ..known.clone() };
    let caller = void.by_link().unwrap();
    assert_eq!((&caller.user, &caller.scopes), (&known.user, &known.scopes));
    assert!(caller.can(Capability::Decide));
    let inactive = DirectoryEntry { active: false, ..known };
    assert_eq!(inactive.by_link(), Err(Refused::Inactive));
}

#[test]
fn only_a_persons_own_account_speaks_for_them() {
    let claims = token(TokenUse::Login, &["macro:reader"], &[]);
    let known = entry(&["macro:reader"], &[]);
    // Its own, or one of a pool that came after the one the directory knows.
    let other_pool = Accounts::NoneOf("p-2".to_owned());
    for accounts in
        [Accounts::Only(account("p-1", "a-1")), Accounts::Only(account("p-2", "a-2")), other_pool]
    {
        let known = DirectoryEntry { accounts, ..known.clone() };
        check(&known, &claims, Ok((&["macro:reader"], &[])));
    }
    for accounts in [Accounts::Only(account("p-1", "a-2")), Accounts::NoneOf("p-1".to_owned())] {
        let other = DirectoryEntry { accounts: accounts.clone(), ..known.clone() };
        check(&other, &claims, Err(Refused::TokenRevoked));
        // Tokens that no pool has made name no account; the local secret's are such.
        let local = Presented { account: None, ..claims.clone() };
        check(&DirectoryEntry { accounts, ..known.clone() }, &local, Ok((&["macro:reader"], &[])));
    }
}

fn any_capabilities() -> impl Strategy<Value = BTreeSet<Capability>> {
    let all = vec![Capability::Decide, Capability::Publish, Capability::Administer];
    prop::collection::btree_set(prop::sample::select(all), 0..=3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn nobody_gains_a_capability_by_presenting_a_token(
        claimed in any_capabilities(),
        granted in any_capabilities(),
        kind in prop::sample::select(vec![TokenUse::Login, TokenUse::Api, TokenUse::Service]),
    ) {
        let token = Presented { capabilities: claimed.clone(), ..token(kind, &[], &[]) };
        let entry = DirectoryEntry { capabilities: granted.clone(), ..entry(&[], &[]) };
        let caller = entry.effective(&token).unwrap();
        prop_assert!(caller.capabilities.is_subset(&claimed));
        prop_assert!(caller.capabilities.is_subset(&granted));
        prop_assert!(kind == TokenUse::Login || !caller.can(Capability::Decide));
    }
}
