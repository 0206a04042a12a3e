//! Accounts of a user pool, and their sessions.

use countersign_cli::CliError;
use countersign_cli::door::Door;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::world::{World, world};

const ROOT: &str = "root@example.org";
pub(super) const PASSWORD: &str = "Correct horse 7 battery";

/// The deployment with a user pool; one for all tests here.
pub(super) async fn pool() -> &'static World {
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
    pub(super) pool: &'static World,
    pub(super) username: String,
    pub(crate) email: String,
}

/// The tokens of one sign-in.
pub(crate) struct Session {
    pub(crate) access: String,
    pub(super) id: String,
    refresh: String,
}

impl Account {
    /// Made by an administrator of the pool, who vouches for the address unless it says otherwise.
    pub(super) async fn made(name: &str, email: &str, verified: bool) -> Self {
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
    pub(super) async fn refreshed(&self) -> Result<Session, String> {
        let parameters = format!("REFRESH_TOKEN={}", self.refresh);
        authenticate(pool().await, "REFRESH_TOKEN_AUTH", &parameters).await
    }

    pub(super) fn claims(&self) -> Value {
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
pub(super) async fn root_session() -> Session {
    static ROOT_ACCOUNT: OnceCell<Account> = OnceCell::const_new();
    ROOT_ACCOUNT.get_or_init(|| Account::made("root", ROOT, true)).await.sign_in().await.unwrap()
}

pub(super) async fn root() -> Door {
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
