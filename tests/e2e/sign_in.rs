//! A deployment as in AWS: people sign in at a user pool, and its tokens open the doors (R-003, K-30).

mod accounts;
mod sessions;

use countersign_cli::door::Door;
use serde_json::{Value, json};

pub(crate) use self::accounts::{Account, door, grant, refusal, with_code};
use self::accounts::{PASSWORD, pool, root, root_session};
use crate::case::{FACTORY, gated, rows, until};
use crate::world::world;

#[tokio::test]
async fn r_003_the_first_administrator_signs_in_and_enters_others() {
    let root = root().await;
    let body =
        json!({ "username": "entered", "email": "entered@example.org", "email_verified": true });
    let entered = root.post("/api/admin/users", &body).await.unwrap();
    let named = ["username", "display_name", "email"].map(|field| entered[field].clone());
    assert_eq!(named, ["entered", "entered", "entered@example.org"].map(Value::from));
    assert!(entered["created_at"].is_string(), "{entered:#}");
    assert!(!entered.to_string().contains("password"), "{entered:#}");
    grant("entered", "global:analyst").await;
    grant("entered", "decide").await;
    // The account comes later; its verified address makes it that person's.
    let account = Account::made("some-other-name", "Entered@Example.org", true).await;
    let session = account.sign_in().await.unwrap();
    let claims = session.claims();
    assert_eq!(claims["user_id"], entered["id"]);
    assert_eq!(claims["scopes"], json!(["global:analyst"]));
    assert_eq!(claims["capabilities"], json!(["decide"]));
    let me = door(&session.access).await.get(&format!("{FACTORY}/me")).await.unwrap();
    assert_eq!(me["user_id"], entered["id"], "{me:#}");
}

#[tokio::test]
async fn a_person_without_grants_can_do_nothing_until_an_administrator_says_so() {
    let ana = Account::new("ana").await;
    let first = ana.sign_in().await.unwrap();
    let path = format!("{FACTORY}/executions");
    assert_eq!(
        refusal(door(&first.access).await.get(&path).await),
        (403, "PERMISSION_DENIED".to_owned())
    );
    grant(&ana.email, "global:analyst").await;
    // The old token claims nothing; the session's next one does.
    assert_eq!(refusal(door(&first.access).await.get(&path).await).0, 403);
    let second = first.refreshed().await.unwrap();
    door(&second.access).await.get(&path).await.unwrap();
    root()
        .await
        .delete(&format!("/api/admin/users/{}/grants/global:analyst", ana.email))
        .await
        .unwrap();
    assert_eq!(refusal(door(&second.access).await.get(&path).await).0, 403);
}

#[tokio::test]
async fn an_account_whose_address_nobody_has_verified_gets_no_token() {
    let mallory = Account::made("mallory", "victim@example.org", false).await;
    let said = mallory.sign_in().await.err().unwrap();
    assert!(said.contains("SIGN_IN_UNVERIFIED"), "{said}");
    let people = root().await.get("/api/admin/users?limit=100").await.unwrap();
    assert!(!people.to_string().contains("victim@example.org"));
}

#[tokio::test]
async fn people_register_themselves_where_the_deployment_says_so_under_no_name_of_others() {
    let pool = pool().await;
    let client = pool.stack.output("UserPoolClientId").unwrap();
    let attributes =
        r#"[{"Name":"email","Value":"rita@example.org"},{"Name":"name","Value":"Rita"}]"#;
    let sign_up = [
        "cognito-idp",
        "sign-up",
        "--client-id",
        client,
        "--username",
        "rita",
        "--password",
        PASSWORD,
    ];
    pool.aws(&[&sign_up[..], &["--user-attributes", attributes]].concat()).await.unwrap();
    let rita = Account { pool, username: "rita".to_owned(), email: "rita@example.org".to_owned() };
    rita.at_pool("admin-confirm-sign-up", &[]).await;
    rita.at_pool(
        "admin-update-user-attributes",
        &["--user-attributes", "Name=email_verified,Value=true"],
    )
    .await;
    let session = rita.sign_in().await.unwrap();
    assert_eq!(session.claims()["scopes"], json!([]));
    let known = root().await.get("/api/admin/users/rita@example.org").await.unwrap();
    assert_eq!(
        (known["email"].as_str(), known["display_name"].as_str()),
        (Some(rita.email.as_str()), Some("Rita"))
    );
}

#[tokio::test]
async fn tokens_of_other_kinds_and_applications_are_told_why() {
    let ana = Account::new("ana").await;
    let session = ana.sign_in().await.unwrap();
    let path = format!("{FACTORY}/me");
    assert_eq!(refusal(door(&session.id).await.get(&path).await), (401, "TOKEN_USE".to_owned()));
    let pool_id = ana.pool.stack.output("UserPoolId").unwrap();
    let other = ana
        .pool
        .aws(&[
            "cognito-idp",
            "create-user-pool-client",
            "--user-pool-id",
            pool_id,
            "--client-name",
            "other",
            "--explicit-auth-flows",
            "ALLOW_USER_PASSWORD_AUTH",
        ])
        .await
        .unwrap();
    let other = other["UserPoolClient"]["ClientId"].as_str().unwrap();
    let parameters = format!("USERNAME={},PASSWORD={PASSWORD}", ana.username);
    let said = ana
        .pool
        .aws(&[
            "cognito-idp",
            "initiate-auth",
            "--client-id",
            other,
            "--auth-flow",
            "USER_PASSWORD_AUTH",
            "--auth-parameters",
            &parameters,
        ])
        .await
        .unwrap();
    let token = said["AuthenticationResult"]["AccessToken"].as_str().unwrap();
    assert_eq!(refusal(door(token).await.get(&path).await), (401, "TOKEN_AUDIENCE".to_owned()));
    // Tokens of another deployment's secret, and of nobody, mean nothing here.
    let foreign = countersign_cli::token::operator(&world().stack).unwrap();
    assert!([401, 403].contains(&refusal(door(&foreign).await.get(&path).await).0));
}

#[tokio::test]
async fn a_session_that_was_ended_stays_ended() {
    let ana = Account::new("ana").await;
    let (one, two) = (ana.sign_in().await.unwrap(), ana.sign_in().await.unwrap());
    let (path, admin) = (format!("{FACTORY}/me"), root().await);
    let voids = format!("/api/admin/users/{}/revoke-tokens", ana.email);
    let me = door(&one.access).await.get(&path).await.unwrap();
    assert_eq!(me["token_id"], one.claims()["jti"]);
    admin.post(&voids, &json!({ "token_id": me["session_id"] })).await.unwrap();
    let again = one.refreshed().await.unwrap();
    for token in [&one.access, &again.access] {
        let said = door(token).await.get(&path).await;
        assert_eq!(refusal(said), (401, "TOKEN_REVOKED".to_owned()));
    }
    door(&two.access).await.get(&path).await.unwrap();
    admin.post(&voids, &json!({})).await.unwrap();
    assert_eq!(
        refusal(door(&two.access).await.get(&path).await),
        (401, "TOKEN_REVOKED".to_owned())
    );
}

#[tokio::test]
async fn inactive_people_get_no_token_and_their_tokens_open_nothing() {
    let ana = Account::new("ana").await;
    let session = ana.sign_in().await.unwrap();
    let person = format!("/api/admin/users/{}", ana.email);
    let admin = root_session().await.access;
    let url = format!("{}{person}", ana.pool.stack.url());
    let change =
        reqwest::Client::new().patch(url).bearer_auth(admin).json(&json!({ "active": false }));
    assert_eq!(change.send().await.unwrap().status(), 200);
    let said = door(&session.access).await.get(&format!("{FACTORY}/me")).await;
    assert_eq!(refusal(said), (401, "USER_INACTIVE".to_owned()));
    assert!(ana.sign_in().await.err().unwrap().contains("USER_INACTIVE"));
    assert!(session.refreshed().await.err().unwrap().contains("USER_INACTIVE"));
}

#[tokio::test]
async fn an_account_in_wrong_hands_is_parted_and_another_takes_its_place() {
    let first = Account::new("ana").await;
    let session = first.sign_in().await.unwrap();
    let person = session.claims()["user_id"].clone();
    let second = Account::made(&format!("{}-new", first.username), &first.email, true).await;
    assert!(second.sign_in().await.err().unwrap().contains("SIGN_IN_OTHER_ACCOUNT"));
    let path = format!("/api/admin/users/{}/account", first.email);
    root().await.delete(&path).await.unwrap();
    let me = format!("{FACTORY}/me");
    let said = door(&session.access).await.get(&me).await;
    assert_eq!(refusal(said), (401, "TOKEN_REVOKED".to_owned()));
    for said in [first.sign_in().await, session.refreshed().await] {
        assert!(said.err().unwrap().contains("SIGN_IN_PARTED"));
    }
    // Tokens of the very second in which tokens were made void are void.
    let session = until("the next second", || async {
        let session = second.sign_in().await.unwrap();
        door(&session.access).await.get(&me).await.ok().map(|_| session)
    })
    .await;
    assert_eq!(session.claims()["user_id"], person);
    assert!(first.sign_in().await.err().unwrap().contains("SIGN_IN_PARTED"));
}

#[tokio::test]
async fn r_003_an_account_that_was_given_another_address_gets_no_token_until_it_has_its_own_again()
{
    let ana = Account::new("ana").await;
    let session = ana.sign_in().await.unwrap();
    let address = async |email: &str| {
        let email = format!("Name=email,Value={email}");
        let attributes = ["--user-attributes", &email, "Name=email_verified,Value=true"];
        ana.at_pool("admin-update-user-attributes", &attributes).await;
    };
    address(&format!("mallory-{}", ana.email)).await;
    for said in [ana.sign_in().await, session.refreshed().await] {
        let said = said.err().unwrap();
        assert!(said.contains("SIGN_IN_ADDRESS_CHANGED"), "{said}");
    }
    // Nobody was entered with the other address.
    let people = root().await.get("/api/admin/users?limit=100").await.unwrap();
    assert!(!people.to_string().contains("mallory-ana"), "{people:#}");
    address(&ana.email).await;
    let again = ana.sign_in().await.unwrap();
    assert_eq!(again.claims()["user_id"], session.claims()["user_id"]);
}

#[tokio::test]
async fn k_08_whoever_signed_in_may_decide_a_gate() {
    let (ana, maria) = (Account::new("ana").await, Account::new("maria").await);
    for account in [&ana, &maria] {
        account.sign_in().await.unwrap();
        grant(&account.email, "global:analyst").await;
    }
    grant(&maria.email, "decide").await;
    let (asks, decides) = (ana.door().await, maria.door().await);
    let post = async |door: &Door, path: &str, body: Value| {
        door.post(&format!("{FACTORY}{path}"), &body).await.unwrap()
    };
    let profile = json!({ "name": "Agent", "handle": "pool-agent", "approvers": [maria.email] });
    let profile = post(&asks, "/profiles", profile).await["id"].clone();
    post(&asks, "/playbooks", json!({ "yaml": gated("gated-pool", "") })).await;
    let run = json!({ "profile": profile, "playbook": "gated-pool", "inputs": rows(), "run_context": "background" });
    let run = post(&asks, "/executions", run).await["id"].as_str().unwrap().to_owned();
    let open = until("the request", || async {
        let page = decides.get(&format!("{FACTORY}/approvals?status=pending")).await.unwrap();
        page["items"].as_array().unwrap().first().cloned()
    })
    .await;
    let request = format!("/approvals/{}", open["approval"].as_str().unwrap());
    let seen = decides.get(&format!("{FACTORY}{request}")).await.unwrap();
    let body = json!({ "digest": seen["digest"], "version": seen["version"] });
    post(&decides, &format!("{request}/approve"), body).await;
    until("the run is complete", || async {
        let now = asks.get(&format!("{FACTORY}/executions/{run}")).await.unwrap();
        (now["state"] == "complete").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_token_says_which_factors_somebody_signed_in_with_and_a_refreshed_one_does_not() {
    let ana = Account::new("ana").await;
    assert_eq!(ana.sign_in().await.unwrap().claims()["mfa_factors"], json!([]));
    let enabled = ["--software-token-mfa-settings", "Enabled=true,PreferredMfa=true"];
    ana.at_pool("admin-set-user-mfa-preference", &enabled).await;
    let session = with_code(&ana).await;
    assert_eq!(session.claims()["mfa_factors"], json!(["SOFTWARE_TOKEN_MFA"]));
    let refreshed = session.refreshed().await.unwrap().claims();
    assert_eq!(refreshed["user_id"], session.claims()["user_id"]);
    assert!(refreshed.get("mfa_factors").is_none(), "{refreshed:#}");
}
