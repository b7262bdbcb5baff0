//! Other tiles for a program that was found: the numbers that its rules brought in are parameters of them.
//!
//! A rule that cuts by 32 is one of many, a rule for each number, and all of them hold; so does what they lead to. The numbers
//! change together wherever they stand, and the program is read again, so its types say whether they fit.

use crate::program::Program;

/// Patterns whose sizes rules bring in.
const BROUGHT: [&str; 4] = ["split[", "asVector[", "fill[", "vectorFromScalar["];

/// The numbers that rules brought into a program, in ascending order: those that the one they began with has not.
#[must_use]
pub fn tiles(written: &Program, found: &Program) -> Vec<i64> {
    let mut known = Vec::new();
    each(&written.show(), &mut |number| known.push(number));
    let mut tiles = Vec::new();
    each(&found.show(), &mut |number| tiles.push(number));
    tiles.retain(|number| !known.contains(number));
    tiles.sort_unstable();
    tiles.dedup();
    tiles
}

/// The program with other numbers for its tiles, given as pairs of old and new.
///
/// # Errors
/// The numbers do not fit together: text for a person.
pub fn with_tiles(found: &Program, change: &[(i64, i64)]) -> Result<Program, String> {
    let text = found.show();
    let mut made = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, number, behind)) = next(rest) {
        made += before;
        let other = change.iter().find(|(old, _)| *old == number);
        made += &other.map_or(number, |(_, new)| *new).to_string();
        rest = behind;
    }
    made += rest;
    Program::read(&made).map_err(|error| error.show(&made))
}

fn each(text: &str, visit: &mut dyn FnMut(i64)) {
    let mut rest = text;
    while let Some((_, number, behind)) = next(rest) {
        visit(number);
        rest = behind;
    }
}

/// The first number that a rule may have brought in: what is before it, and what is behind it.
fn next(text: &str) -> Option<(&str, i64, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('[').map(|at| from + at + 1) {
        from = open;
        if !BROUGHT.iter().any(|name| text[..open].ends_with(name)) {
            continue;
        }
        let digits = text[open..].bytes().take_while(u8::is_ascii_digit).count();
        let behind = &text[open + digits..];
        if behind.starts_with(']')
            && let Ok(number) = text[open..open + digits].parse()
        {
            return Some((&text[..open], number, behind));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Program {
        Program::read(text).unwrap_or_else(|error| panic!("{}", error.show(text)))
    }

    #[test]
    fn numbers_of_rules_change_together_and_others_stay() {
        let written = read("program p(n)(x: [n]f32) = map(fun e => e * 32, x)");
        let found = read(
            "program p(n)(x: [n]f32) = join(map(fun r => map(fun e => e * 32, join(split[4](r))), split[32](x)))",
        );
        assert_eq!(tiles(&written, &found), [4, 32]);
        let made = with_tiles(&found, &[(4, 32), (32, 64)]).unwrap();
        assert_eq!(tiles(&written, &made), [32, 64]);
        assert!(made.show().contains("* 32"), "{}", made.show());
        assert_eq!(tiles(&found, &found), [0; 0]);
        // What a program is made of already is no tile of a rule.
        assert_eq!(with_tiles(&found, &[]).unwrap().show(), found.show());
    }
}
