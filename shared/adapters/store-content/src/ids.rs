//! The ids of content.

countersign_ids::prefixed_id! {
    /// One document.
    pub struct DocumentId("doc");
}

countersign_ids::prefixed_id! {
    /// One exported file.
    pub struct ExportId("expo");
}

countersign_ids::prefixed_id! {
    /// One notification.
    pub struct NotificationId("note");
}
