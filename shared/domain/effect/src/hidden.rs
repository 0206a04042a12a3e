//! Characters that nobody sees.

/// Whether a character would not be seen, or would change how its neighbours are seen.
///
/// Line feed and tab are left alone: they are part of the layout of a prompt and do no harm there.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    if matches!(character, '\n' | '\t') {
        return false;
    }
    character.is_control()
        || matches!(u32::from(character),
            0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
            | 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF | 0xF0000..)
        || u32::from(character) & 0xFFFE == 0xFFFE
}
