//! A connector as a binding changes it.

use indexmap::IndexMap;

use crate::binding::Binding;
use crate::model::{Connection, ConnectorDefinition, RateLimit};

impl ConnectorDefinition {
    /// The connection with the binding's values (F-104). A file may only become smaller.
    #[must_use]
    pub fn bound_by(mut self, binding: &Binding) -> Self {
        let overrides = &binding.config_overrides;
        if let Some(headers) = headers(&mut self.connection) {
            let given = overrides.headers.iter();
            headers.extend(given.map(|(name, value)| (name.clone(), value.clone())));
        }
        if let (Some(own), Some(given)) = (rate(&mut self.connection), overrides.rate_limit) {
            *own = Some(given);
        }
        match &mut self.connection {
            Connection::RestApi(rest) => {
                if let Some(base_url) = &overrides.base_url {
                    rest.base_url.clone_from(base_url);
                }
                if let Some(seconds) = overrides.timeout_seconds {
                    rest.timeout_seconds = seconds.clamp(1, 300);
                }
            }
            Connection::Graphql(graphql) => {
                if let Some(base_url) = &overrides.base_url {
                    graphql.endpoint.clone_from(base_url);
                }
                if let Some(seconds) = overrides.timeout_seconds {
                    graphql.timeout_seconds = seconds.clamp(1, 300);
                }
            }
            Connection::ExistingTool(_) => {}
            Connection::WebScraper(scraper) => {
                if let Some(base_url) = &overrides.base_url {
                    scraper.base_url.clone_from(base_url);
                }
                if let Some(seconds) = overrides.timeout_seconds {
                    scraper.timeout_seconds = seconds.clamp(1, 300);
                }
            }
            Connection::RssFeed(feeds) => {
                if let Some(seconds) = overrides.timeout_seconds {
                    feeds.timeout_seconds = seconds.clamp(1, 300);
                }
            }
            Connection::Database(database) => {
                if let Some(seconds) = overrides.timeout_seconds {
                    database.timeout_seconds = seconds.clamp(1, 300);
                }
            }
            Connection::FileParser(file) => {
                if let Some(megabytes) = overrides.max_file_size_mb {
                    file.max_file_size_mb = megabytes.clamp(1, file.max_file_size_mb);
                }
                if let Some(seconds) = overrides.timeout_seconds {
                    file.timeout_seconds = seconds.clamp(1, 300);
                }
            }
        }
        self
    }
}

/// Where a connection says its rate, when calls of it are counted.
fn rate(connection: &mut Connection) -> Option<&mut Option<RateLimit>> {
    match connection {
        Connection::RestApi(rest) => Some(&mut rest.rate_limit),
        Connection::Graphql(graphql) => Some(&mut graphql.rate_limit),
        Connection::WebScraper(scraper) => Some(&mut scraper.rate_limit),
        Connection::Database(database) => Some(&mut database.rate_limit),
        Connection::RssFeed(feeds) => Some(&mut feeds.rate_limit),
        Connection::FileParser(files) => Some(&mut files.rate_limit),
        Connection::ExistingTool(_) => None,
    }
}

/// The headers of a connection that has some.
fn headers(connection: &mut Connection) -> Option<&mut IndexMap<String, String>> {
    match connection {
        Connection::RestApi(rest) => Some(&mut rest.headers),
        Connection::Graphql(graphql) => Some(&mut graphql.headers),
        Connection::WebScraper(scraper) => Some(&mut scraper.headers),
        Connection::FileParser(_)
        | Connection::ExistingTool(_)
        | Connection::RssFeed(_)
        | Connection::Database(_) => None,
    }
}
