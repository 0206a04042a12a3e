//! Entries that a list has twice.

/// The entries of a list that are in it before already, each with its place.
pub fn repeated<T: PartialEq>(entries: &[T]) -> impl Iterator<Item = (usize, &T)> {
    entries.iter().enumerate().filter(move |(n, entry)| entries[..*n].contains(entry))
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn an_entry_is_repeated_each_time_but_the_first() {
        let found: Vec<(usize, &str)> =
            repeated(&["a", "b", "a", "a"]).map(|(n, entry)| (n, *entry)).collect();
        assert_eq!(found, [(2, "a"), (3, "a")]);
        assert_eq!(repeated::<u8>(&[]).count(), 0);
    }
}
