//! Actions that look for what is new (F-058…F-062, F-064).
//!
//! A [`Detect`] compares what is there with a position and says what is new and where that leads. Whoever looks keeps the
//! position: a monitor its watermark. In a run that is not a monitor's there is none, and everything that is there is new; a
//! monitor's run does not look at all, its steps have what the look before it found.

mod answer;
mod by_time;
mod data;
mod detection;
mod entities;
mod files;
mod look;
mod origins;
mod team_posts;
mod watermark;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use data::NewData;
pub use detection::Detection;
pub use entities::{Namespaces, NewEntities};
pub use files::{FolderChanges, NewFiles};
pub use look::{Detect, Look, Seen, handlers};
pub use origins::Origins;
pub use team_posts::{NewTeamPosts, SharedWith};
pub use watermark::{GetWatermark, Marks};

use countersign_connector::{ConnectorSource, Files};
use countersign_registry::action::Handler;

/// What the detections of this crate read from.
#[derive(Clone)]
pub struct Sources {
    /// Calls endpoints that only read.
    pub connect: Arc<dyn Handler>,
    /// Connectors.
    pub connectors: Arc<dyn ConnectorSource>,
    /// Uploaded files.
    pub files: Arc<dyn Files>,
}

/// The detections that read data sources and files.
#[must_use]
pub fn detections(sources: &Sources) -> Vec<Arc<dyn Detect>> {
    let Sources { connect, connectors, files } = sources.clone();
    vec![
        Arc::new(NewData { connect, connectors }),
        Arc::new(NewFiles { files: Arc::clone(&files) }),
        Arc::new(FolderChanges { files }),
    ]
}
