//! What is wrong, with its place.

/// ``` `a.b`: is empty ``` of the path `a.b`; ``` `a.b` must be a list ``` of a message that names `b` itself.
#[must_use]
pub fn at_path(path: &str, message: &str) -> String {
    let name = path.rsplit('.').next().unwrap_or(path);
    match message.strip_prefix(&format!("`{name}` ")) {
        Some(rest) => format!("`{path}` {rest}"),
        None => format!("`{path}`: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::at_path;

    #[test]
    fn no_name_is_told_twice() {
        assert_eq!(at_path("currency", "is empty"), "`currency`: is empty");
        assert_eq!(at_path("currency", "`currency` must be text"), "`currency` must be text");
        assert_eq!(at_path("models[0].name", "`name` is empty"), "`models[0].name` is empty");
        assert_eq!(at_path("a", "`b` is empty"), "`a`: `b` is empty");
        assert_eq!(at_path("yaml:1:2", "`a` is empty"), "`yaml:1:2`: `a` is empty");
    }
}
