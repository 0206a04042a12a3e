//! Where a database is and who asks it: what the owner's credential says (K-37).

use std::fmt;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::model::{DatabaseConnection, SslMode};
use crate::request::RequestError;
use crate::secret::{Credential, Secret};

/// A database and a role in it. Its debug form shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// The host's name or address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The database.
    pub database: String,
    /// The role.
    pub user: String,
    /// Its password.
    pub password: Secret,
    /// How the server proves who it is.
    pub sslmode: SslMode,
    /// Whether the password's proof must be bound to the TLS connection.
    pub binds_channel: bool,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Server(redacted)")
    }
}

impl Server {
    /// What the credential says: its `connection_string`, or `host`, `port`, `database`, `user` and `password`.
    ///
    /// # Errors
    /// [`RequestError`] when there is no credential, a part is missing or the string cannot be read.
    pub fn of(
        connection: &DatabaseConnection,
        credential: Option<&Credential>,
    ) -> Result<Self, RequestError> {
        let credential = credential.ok_or(RequestError::CredentialMissing)?;
        let text = credential.part("connection_string").map(Secret::expose);
        let mut server = match text.filter(|text| !text.is_empty()) {
            Some(text) => Self::parse(text.trim()).map_err(RequestError::ConnectionString)?,
            None => Self::of_parts(credential)?,
        };
        if connection.sslmode == SslMode::Disable {
            server.sslmode = SslMode::Disable;
        }
        Ok(server)
    }

    fn of_parts(credential: &Credential) -> Result<Self, RequestError> {
        let part = |name: &'static str| {
            let found = credential.part(name).map(Secret::expose).filter(|text| !text.is_empty());
            found.ok_or(RequestError::CredentialPart(name.to_owned()))
        };
        let port = match credential.part("port").map(Secret::expose).filter(|text| !text.is_empty())
        {
            None => 5432,
            Some(text) => {
                text.trim().parse().map_err(|_| RequestError::CredentialPart("port".to_owned()))?
            }
        };
        Ok(Self {
            host: part("host")?.trim().to_owned(),
            port,
            database: part("database")?.to_owned(),
            user: part("user")?.to_owned(),
            password: Secret::new(part("password")?.to_owned()),
            sslmode: SslMode::VerifyFull,
            binds_channel: false,
        })
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        let url = Url::parse(text).map_err(|_| "is not an address such as `postgres://…`")?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err("must begin with `postgres://` or `postgresql://`");
        }
        let decoded =
            |text: &str| percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned);
        let unreadable = |_| "has a part that is not UTF-8";
        let host = url.host_str().filter(|host| !host.is_empty() && !host.contains(','));
        let host = decoded(host.ok_or("must name exactly one host")?).map_err(unreadable)?;
        let user = decoded(url.username()).map_err(unreadable)?;
        let password = decoded(url.password().unwrap_or_default()).map_err(unreadable)?;
        let database = decoded(url.path().trim_start_matches('/')).map_err(unreadable)?;
        if user.is_empty() || password.is_empty() {
            return Err("must name a user and a password");
        }
        if database.is_empty() || database.contains('/') {
            return Err("must name a database");
        }
        let mut server = Self {
            host,
            port: url.port().unwrap_or(5432),
            database,
            user,
            password: Secret::new(password),
            sslmode: SslMode::VerifyFull,
            binds_channel: false,
        };
        for (name, value) in url.query_pairs() {
            server.set(&name, &value)?;
        }
        Ok(server)
    }

    /// A parameter of a connection string. What is not understood is refused: it could ask for more care than is taken.
    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        match (name, value) {
            // The server's certificate is always verified, also where the string asks for less.
            ("sslmode", "verify-full" | "verify-ca" | "require") => {}
            ("sslmode", "disable") => self.sslmode = SslMode::Disable,
            ("sslmode", _) => {
                return Err("has an `sslmode` other than `verify-full`, `require` or `disable`");
            }
            ("channel_binding", "require") => self.binds_channel = true,
            ("channel_binding", "prefer") => {}
            _ => return Err("may have no parameters but `sslmode` and `channel_binding`"),
        }
        Ok(())
    }
}
