//! Lines that are wider than the terminal.

/// A line in as many as fit: each further one is as far in as the first, and `hang` more. Words stay whole, because an id or an
/// address may be copied.
pub(crate) fn wrapped(line: &str, columns: usize, hang: usize) -> Vec<String> {
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let indent = line.len() - line.trim_start_matches(' ').len();
    // Half of the terminal is left for the text.
    let further = " ".repeat((indent + hang).min(columns / 2));
    let mut lines = Vec::new();
    let mut now = line[..indent].to_owned();
    let mut is_blank = true;
    for word in line[indent..].split(' ') {
        if !is_blank && width(&now) + 1 + width(word) > columns {
            lines.push(now.trim_end().to_owned());
            now.clone_from(&further);
            is_blank = true;
        }
        // What fills a column of a table up is not carried over.
        if is_blank && word.is_empty() && !lines.is_empty() {
            continue;
        }
        if !is_blank {
            now.push(' ');
        }
        now.push_str(word);
        is_blank = false;
    }
    lines.push(now);
    lines
}

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Characters of East Asia take two columns, and so do pictures; what is narrower than it counts for does no harm.
pub(crate) fn columns_of(character: char) -> usize {
    if u32::from(character) < 0x1100 { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[track_caller]
    fn check(line: &str, columns: usize, hang: usize, expect: &[&str]) {
        assert_eq!(wrapped(line, columns, hang), expect);
    }

    #[test]
    fn a_line_goes_on_as_far_in_as_it_begins() {
        check("  fits", 6, 2, &["  fits"]);
        check("  one two three", 9, 0, &["  one two", "  three"]);
        check("read  done  12 records", 14, 2, &["read  done  12", "  records"]);
        check("", 4, 2, &[""]);
    }

    #[test]
    fn words_stay_whole_and_no_indent_takes_all_of_a_terminal() {
        check("  a run_0123456789 b", 8, 0, &["  a", "  run_0123456789", "  b"]);
        check("        deep in", 8, 4, &["        deep", "    in"]);
        check("a    b", 4, 0, &["a", "b"]);
        check("株式 会社", 6, 0, &["株式", "会社"]);
    }
}
