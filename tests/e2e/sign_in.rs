//! A deployment as in AWS: people sign in at a user pool, and its tokens open the doors (R-003, K-30).

use countersign_cli::CliError;
use countersign_cli::door::Door;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::case::{FACTORY, gated, rows, until};
use crate::world::{World, world};

const ROOT: &str = "root@example.org";
const PASSWORD: &str = "Correct horse 7 battery";

/// The deployment with a user pool; one for all tests here.
async fn pool() -> &'static World {
    static POOL: OnceCell<World> = OnceCell::const_new();
    POOL.get_or_init(|| async {
        let key = world().aws(&["kms", "create-key"]).await.unwrap();
        let parameters = [
            format!("FirstAdministrator={ROOT}"),
            "SelfSignUp=true".to_owned(),
            "RequireMfa=true".to_owned(),
            format!("CustomerKeyArn={}", key["KeyMetadata"]["Arn"].as_str().unwrap()),
            "ReservedConcurrency=50".to_owned(),
        ];
        world().beside("countersign-pool", &parameters).await
    })
    .await
}

/// An account of the pool.
pub(crate) struct Account {
    pool: &'static World,
    username: String,
    pub(crate) email: String,
}

/// The tokens of one sign-in.
pub(crate) struct Session {
    pub(crate) access: String,
    id: String,
    refresh: String,
}

impl Account {
    /// Made by an administrator of the pool, who vouches for the address unless it says otherwise.
    async fn made(name: &str, email: &str, verified: bool) -> Self {
        let pool = pool().await;
        let account = Self { pool, username: name.to_owned(), email: email.to_owned() };
        let attributes = format!(
            r#"[{{"Name":"email","Value":"{email}"}},{{"Name":"email_verified","Value":"{verified}"}},{{"Name":"name","Value":"{name}"}}]"#
        );
        account
            .at_pool(
                "admin-create-user",
                &["--user-attributes", &attributes, "--message-action", "SUPPRESS"],
            )
            .await;
        account.at_pool("admin-set-user-password", &["--password", PASSWORD, "--permanent"]).await;
        account
    }

    /// Somebody new with an address of their own.
    pub(crate) async fn new(name: &str) -> Self {
        let username = format!("{name}-{}", &uuid::Uuid::now_v7().simple().to_string()[20..]);
        let email = format!("{username}@example.org");
        Self::made(&username, &email, true).await
    }

    pub(crate) async fn at_pool(&self, command: &str, more: &[&str]) -> Value {
        let id = self.pool.stack.output("UserPoolId").unwrap();
        let who = ["cognito-idp", command, "--user-pool-id", id, "--username", &self.username];
        self.pool.aws(&[&who[..], more].concat()).await.unwrap()
    }

    pub(crate) async fn sign_in(&self) -> Result<Session, String> {
        let parameters = format!("USERNAME={},PASSWORD={PASSWORD}", self.username);
        authenticate(self.pool, "USER_PASSWORD_AUTH", &parameters).await
    }

    pub(crate) async fn door(&self) -> Door {
        door(&self.sign_in().await.unwrap().access).await
    }
}

async fn authenticate(pool: &World, flow: &str, parameters: &str) -> Result<Session, String> {
    let client = pool.stack.output("UserPoolClientId").unwrap();
    let said = pool
        .aws(&[
            "cognito-idp",
            "initiate-auth",
            "--client-id",
            client,
            "--auth-flow",
            flow,
            "--auth-parameters",
            parameters,
        ])
        .await?;
    let part =
        |name: &str| said["AuthenticationResult"][name].as_str().unwrap_or_default().to_owned();
    Ok(Session { access: part("AccessToken"), id: part("IdToken"), refresh: part("RefreshToken") })
}

impl Session {
    /// A new access token of the same session.
    async fn refreshed(&self) -> Result<Session, String> {
        let parameters = format!("REFRESH_TOKEN={}", self.refresh);
        authenticate(pool().await, "REFRESH_TOKEN_AUTH", &parameters).await
    }

    fn claims(&self) -> Value {
        use base64::Engine as _;
        let payload = self.access.split('.').nth(1).unwrap();
        let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }
}

pub(crate) async fn door(token: &str) -> Door {
    Door::with(&pool().await.stack.url(), token.to_owned()).unwrap()
}

/// The first administrator, whom nobody has entered.
async fn root_session() -> Session {
    static ROOT_ACCOUNT: OnceCell<Account> = OnceCell::const_new();
    ROOT_ACCOUNT.get_or_init(|| Account::made("root", ROOT, true)).await.sign_in().await.unwrap()
}

async fn root() -> Door {
    door(&root_session().await.access).await
}

pub(crate) fn refusal(said: Result<Value, CliError>) -> (u16, String) {
    match said {
        Err(CliError::Refused { status, code, .. }) => (status, code.unwrap_or_default()),
        other => panic!("not refused: {other:?}"),
    }
}

pub(crate) async fn grant(who: &str, grant: &str) {
    let (shelf, body) = if grant.contains(':') {
        ("grants", json!({ "scope": grant }))
    } else {
        ("capabilities", json!({ "capability": grant }))
    };
    root().await.post(&format!("/api/admin/users/{who}/{shelf}"), &body).await.unwrap();
}

#[tokio::test]
async fn r_003_the_first_administrator_signs_in_and_enters_others() {
    let root = root().await;
    let body =
        json!({ "username": "entered", "email": "entered@example.org", "email_verified": true });
    let entered = root.post("/api/admin/users", &body).await.unwrap();
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

/// Signs in with password and code; the emulator takes any code of an account without a secret.
pub(crate) async fn with_code(account: &Account) -> Session {
    let client = account.pool.stack.output("UserPoolClientId").unwrap();
    let aws = async |arguments: &[&str]| {
        let named = [&["cognito-idp"], arguments, &["--client-id", client]].concat();
        account.pool.aws(&named).await.unwrap()
    };
    let username = &account.username;
    let known = format!("USERNAME={username},PASSWORD={PASSWORD}");
    let flow = ["initiate-auth", "--auth-flow", "USER_PASSWORD_AUTH", "--auth-parameters", &known];
    let asked = aws(&flow).await;
    assert_eq!(asked["ChallengeName"], "SOFTWARE_TOKEN_MFA", "{asked:#}");
    let code = format!("USERNAME={username},SOFTWARE_TOKEN_MFA_CODE=123456");
    let session = asked["Session"].as_str().unwrap();
    let challenge = ["respond-to-auth-challenge", "--challenge-name", "SOFTWARE_TOKEN_MFA"];
    let answer = ["--session", session, "--challenge-responses", &code];
    let said = aws(&[&challenge[..], &answer[..]].concat()).await;
    let part =
        |name: &str| said["AuthenticationResult"][name].as_str().unwrap_or_default().to_owned();
    Session { access: part("AccessToken"), id: part("IdToken"), refresh: part("RefreshToken") }
}
