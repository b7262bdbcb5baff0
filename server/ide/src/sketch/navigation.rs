//! Where the names of sketch files come from, where else they stand, and giving them other names.

use sumac_sketch::text::lex::is_name;
use sumac_sketch::text::{Known, Library, Place, TextRange};
use sumac_text::TextEdit;

use super::VOCABULARY;
use crate::highlight::Highlight;
use crate::workspace::Access;

/// A definition in a library: the whole of it, and its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The file's number.
    pub file: usize,
    /// All of it.
    pub full_range: TextRange,
    /// Its name.
    pub focus: TextRange,
}

/// A line of a script that pins a sketch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pin {
    /// Where the sketch is named.
    pub place: Place,
    /// Which sketch that is.
    pub sketch: Known,
    /// The files that the script sees.
    pub sees: Vec<usize>,
}

/// What a cursor at `offset` of a file touches, in its text or in a pin.
fn at(library: &Library, pins: &[Pin], file: usize, offset: usize) -> Option<(TextRange, Known)> {
    let touches = |pin: &&Pin| pin.place.file == file && pin.place.range.touches(offset);
    if let Some(pin) = pins.iter().find(touches) {
        return Some((pin.place.range, pin.sketch.clone()));
    }
    let (range, known) = library.at(file, offset)?;
    Some((range, known.clone()))
}

/// Every place that names something: in sketch files, and in pins.
fn places(library: &Library, pins: &[Pin], known: &Known) -> Vec<Place> {
    let mut found = library.references(known);
    let pinned = pins.iter().filter(|pin| pin.sketch == *known);
    found.extend(pinned.map(|pin| pin.place));
    found.sort_unstable();
    found
}

/// The definition of what a cursor at `offset` of a file touches, with the place that it is of.
#[must_use]
pub fn definition(
    library: &Library,
    file: usize,
    offset: usize,
) -> Option<(TextRange, Definition)> {
    let (range, known) = library.at(file, offset)?;
    let place = library.definition(known)?;
    let full_range = match known {
        Known::Sketch(file, number) => library.sketch_at(*file, *number)?.range,
        Known::Abstraction(file, number) => library.abstraction(*file, *number)?.range,
        Known::Equation(file, number) => library.rule(*file, *number)?.range,
        _ => place.range,
    };
    let definition = Definition {
        file: place.file,
        full_range,
        focus: place.range,
    };
    Some((range, definition))
}

/// Every place that names what a cursor at `offset` of a file touches, in all files, in their order.
#[must_use]
pub fn references(
    library: &Library,
    pins: &[Pin],
    file: usize,
    offset: usize,
    with_definition: bool,
) -> Vec<Place> {
    let Some((_, known)) = at(library, pins, file, offset) else {
        return Vec::new();
    };
    let own = library.definition(&known);
    let mut found = mentions(library, pins, file, &known);
    found.retain(|place| with_definition || Some(*place) != own);
    found
}

/// The places of what has a definition are those of all files; a variable of scripts or a rule is looked for in one.
fn mentions(library: &Library, pins: &[Pin], file: usize, known: &Known) -> Vec<Place> {
    let mut found = places(library, pins, known);
    if library.definition(known).is_none() {
        found.retain(|place| place.file == file);
    }
    found
}

/// The places of one file that name what a cursor at `offset` touches.
#[must_use]
pub fn highlights(library: &Library, file: usize, offset: usize) -> Vec<Highlight> {
    let Some((_, known)) = library.at(file, offset) else {
        return Vec::new();
    };
    let own = library.definition(known);
    let places = library.references(known).into_iter();
    let here = places.filter(|place| place.file == file);
    here.map(|place| Highlight {
        range: place.range,
        access: if Some(place) == own {
            Access::Declare
        } else {
            Access::Read
        },
    })
    .collect()
}

/// Whether what a cursor at `offset` touches can be renamed: its place and its name. `None` where nothing has a name.
///
/// # Errors
/// It cannot, and why: text for the user.
pub fn prepare_rename(
    library: &Library,
    pins: &[Pin],
    file: usize,
    offset: usize,
) -> Result<Option<(TextRange, String)>, String> {
    let Some((range, known)) = at(library, pins, file, offset) else {
        return Ok(None);
    };
    let fixed = |name: &str, what: &str| Err(format!("`{name}` is {what}; its name is fixed"));
    match &known {
        Known::Sketch(..)
        | Known::Abstraction(..)
        | Known::Equation(..)
        | Known::Parameter(_)
        | Known::Letter(_) => {
            let own = library.definition(&known);
            Ok(own.map(|own| (range, library.files()[own.file].text[own.range].to_owned())))
        }
        Known::Operator(name) => fixed(name, "an operator of the language"),
        Known::Rule(name) => fixed(name, "a rule, or a set of rules"),
        Known::Cost(name) => fixed(name, "a cost"),
        Known::Unit(name) => fixed(name, "a unit"),
        Known::Variable(name) => Err(format!(
            "`{name}` is a variable of the scripts that the sketch is used on; rename it there"
        )),
        Known::File(_) => Err(
            "this is the path of a file; rename the file and write its new path here".to_owned(),
        ),
    }
}

/// The edits that rename what a cursor at `offset` of a file touches, by file, each in the order of the text.
///
/// # Errors
/// It cannot be renamed so, and what is in the way: text for the user.
pub fn rename(
    library: &Library,
    pins: &[Pin],
    file: usize,
    offset: usize,
    new_name: &str,
) -> Result<Vec<(usize, Vec<TextEdit>)>, String> {
    let Some((_, old)) = prepare_rename(library, pins, file, offset)? else {
        return Err("there is no name here that could be changed".to_owned());
    };
    let Some((_, known)) = at(library, pins, file, offset) else {
        return Ok(Vec::new());
    };
    if old == new_name {
        return Ok(Vec::new());
    }
    if !is_name(new_name) {
        return Err(format!(
            "`{new_name}` is no name: a name begins with a letter, goes on with letters, digits and `_`, and is no word of the language"
        ));
    }
    let places = places(library, pins, &known);
    check_free(library, &known, &places, new_name)?;
    // A pin names the first sketch of a name that its script sees.
    let mut pinned = pins.iter().filter(|pin| pin.sketch == known);
    let is_taken = |file: &usize| {
        let mut sketches = library.files()[*file].parse.file.sketches.iter();
        sketches.any(|one| &*one.name.text == new_name)
    };
    if let Some(pin) = pinned.find(|pin| pin.sees.iter().any(is_taken)) {
        return Err(format!(
            "`{new_name}` is another sketch that {} sees, where `{old}` is pinned; choose another name",
            library.files()[pin.place.file].path
        ));
    }
    let mut edits: Vec<(usize, Vec<TextEdit>)> = Vec::new();
    for place in places {
        let edit = TextEdit {
            range: place.range,
            new_text: new_name.to_owned(),
        };
        match edits.last_mut() {
            Some((known, of_file)) if *known == place.file => of_file.push(edit),
            _ => edits.push((place.file, vec![edit])),
        }
    }
    Ok(edits)
}

/// Nothing of this name may be where the thing is named.
fn check_free(
    library: &Library,
    known: &Known,
    places: &[Place],
    name: &str,
) -> Result<(), String> {
    let taken = |by: &str| Err(format!("`{name}` is {by}; choose another name"));
    let is_operator = VOCABULARY.operators.iter().any(|(own, ..)| *own == name);
    if !matches!(known, Known::Sketch(..) | Known::Equation(..))
        && (is_operator || name == "contains")
    {
        return taken("an operator of the language");
    }
    for place in places {
        let parsed = &library.files()[place.file].parse.file;
        match known {
            Known::Sketch(..) => {
                if parsed.sketches.iter().any(|one| &*one.name.text == name) {
                    return taken("another sketch of the file");
                }
            }
            Known::Equation(..) => {
                let sets = VOCABULARY.rule_sets.iter().map(|(own, _)| *own);
                let mut rules = sets.chain(VOCABULARY.rules.iter().map(|(own, _)| *own));
                if rules.any(|own| own == name) {
                    return taken("a rule, or a set of rules, that is built in");
                }
                let mut listed = library.visible_rules(place.file);
                if listed.any(|(own, _)| &**own == name) {
                    return taken("another rule that the file sees");
                }
            }
            Known::Letter(_) => {
                if library.visible(place.file).any(|(own, _)| &**own == name) {
                    return taken("an abstraction that the file sees");
                }
                let mut rules = parsed.rules.iter();
                let here = rules.find(|rule| rule.range.contains(place.range));
                let letters = library.meanings(place.file).iter();
                let mut letters = letters.filter(|(_, known)| matches!(known, Known::Letter(_)));
                let text = &library.files()[place.file].text;
                if letters.any(|(range, _)| {
                    here.is_some_and(|rule| rule.range.contains(*range)) && &text[*range] == name
                }) {
                    return taken("another letter of the rule");
                }
            }
            _ => {
                if library.visible(place.file).any(|(own, _)| &**own == name) {
                    return taken("an abstraction that the file sees");
                }
                let sketches = parsed
                    .sketches
                    .iter()
                    .map(|one| (one.range, &one.parameters));
                let abstractions = parsed.abstractions.iter();
                let abstractions = abstractions.map(|one| (one.range, &one.parameters));
                let mut around = sketches.chain(abstractions);
                let here = around.find(|(range, _)| range.contains(place.range));
                if let Some((_, names)) = here
                    && names.iter().any(|own| &*own.text == name)
                {
                    return taken("a parameter there");
                }
                if library.meanings(place.file).iter().any(|(range, known)| {
                    let is_it = matches!(known, Known::Variable(own) if &**own == name);
                    is_it && here.is_none_or(|(around, _)| around.contains(*range))
                }) {
                    return taken("what a variable of scripts is called there");
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::fixture::{at_cursor, library};

    const A: &str = "import \"b.sketch\"\nsketch s(X) { goal gram(X) + gram(?) }";
    const B: &str = "def gram(Y) = t(Y) %*% Y";

    fn at(text: &str) -> usize {
        A.find(text).unwrap()
    }

    #[test]
    fn names_lead_to_their_definitions_in_other_files() {
        let library = library(&[("a.sketch", A), ("b.sketch", B)]);
        let (_, found) = definition(&library, 0, at("gram(?)")).unwrap();
        assert_eq!((found.file, &B[found.focus]), (1, "gram"));
        assert_eq!(&B[found.full_range], B);
        let (_, file) = definition(&library, 0, at("b.sketch")).unwrap();
        assert_eq!((file.file, file.focus), (1, TextRange::default()));
        assert!(definition(&library, 0, at("?")).is_none());
        assert_eq!(references(&library, &[], 0, at("gram(?)"), true).len(), 3);
        assert_eq!(references(&library, &[], 0, at("gram(?)"), false).len(), 2);
        let own: Vec<_> = highlights(&library, 0, at("X)"))
            .iter()
            .map(|found| (found.range.start, found.access))
            .collect();
        assert_eq!(
            own,
            [(at("X)"), Access::Declare), (at("X) +"), Access::Read)]
        );
    }

    #[test]
    fn a_name_changes_wherever_it_stands() {
        let library = library(&[("a.sketch", A), ("b.sketch", B)]);
        let edits = rename(&library, &[], 0, at("gram(?)"), "squared").unwrap();
        let places: Vec<_> = edits
            .iter()
            .map(|(file, edits)| (*file, edits.len()))
            .collect();
        assert_eq!(places, [(0, 2), (1, 1)]);
        assert!(rename(&library, &[], 0, at("s(X)"), "other").is_ok());
    }

    #[test]
    fn a_pin_is_a_mention_of_its_sketch() {
        let script = "#@ sketch s(X)\nx = 1\n";
        let other = "sketch r { goal ? }";
        let library = library(&[
            ("a.sketch", A),
            ("b.sketch", B),
            ("x.dml", ""),
            ("c.sketch", other),
        ]);
        let (_, sketch) = library.at(0, at("s(X)")).unwrap();
        let place = Place {
            file: 2,
            range: TextRange::new(script.find("s(X)").unwrap(), script.find("(X)").unwrap()),
        };
        let pins = [Pin {
            place,
            sketch: sketch.clone(),
            sees: vec![2, 0, 3],
        }];
        assert_eq!(references(&library, &pins, 0, at("s(X)"), false), [place]);
        // From the pin, too.
        assert_eq!(
            references(&library, &pins, 2, place.range.start, true).len(),
            2
        );
        let (range, name) = prepare_rename(&library, &pins, 2, place.range.start)
            .unwrap()
            .unwrap();
        assert_eq!((range, &*name), (place.range, "s"));
        let edits = rename(&library, &pins, 2, place.range.start, "other").unwrap();
        let files: Vec<_> = edits.iter().map(|(file, _)| *file).collect();
        assert_eq!(files, [0, 2]);
        let refused = rename(&library, &pins, 0, at("s(X)"), "r").unwrap_err();
        assert!(refused.contains("x.dml sees"), "{refused}");
    }

    #[test]
    fn rules_and_their_letters_are_renamed() {
        let text =
            "rule two: A + A = 2 * A\nrule one: A + 0 * B = A\nsketch s { goal A using two }";
        let library = library(&[("a.sketch", text)]);
        let at = |part: &str| text.find(part).unwrap();
        let renamed = |offset: usize, name: &str| rename(&library, &[], 0, offset, name);
        let two = renamed(at("two"), "double").unwrap();
        assert_eq!(two[0].1.len(), 2);
        // A letter is that of its own rule.
        assert_eq!(renamed(at("A + A"), "X").unwrap()[0].1.len(), 3);
        for (offset, name, part) in [
            (at("two"), "factor", "built in"),
            (at("two"), "one", "another rule"),
            (at("B = A"), "A", "another letter"),
        ] {
            let refused = renamed(offset, name).unwrap_err();
            assert!(refused.contains(part), "{name}: {refused}");
        }
    }

    #[test]
    fn what_is_in_the_way_is_said() {
        for (text, new, part) in [
            ("sketch s$0 { goal ? }", "goal", "no name"),
            (
                "sketch s$0 { goal ? }\nsketch r { goal ? }",
                "r",
                "another sketch",
            ),
            ("def f$0 = ?\nsketch s { goal f }", "sum", "an operator"),
            ("def f$0 = ?\ndef g = f", "g", "an abstraction"),
            (
                "def f$0 = ?\nsketch s(x) { goal f + x }",
                "x",
                "a parameter",
            ),
            ("sketch s(x$0) { goal x + Y }", "Y", "a variable of scripts"),
            (
                "sketch s { goal sum$0(?) }",
                "f",
                "an operator of the language",
            ),
            ("sketch s { goal Y$0 }", "f", "rename it there"),
            ("sketch s { goal ? using factor$0 }", "f", "a set of rules"),
            ("sketch s { goal ?$0 }", "f", "no name here"),
        ] {
            let (library, offset) = at_cursor(text);
            let refused = rename(&library, &[], 0, offset, new).unwrap_err();
            assert!(refused.contains(part), "{text} → {new}: {refused}");
        }
        // What another sketch calls its own is its own.
        let (library, offset) = at_cursor("sketch s(x$0) { goal x }\nsketch r { goal y }");
        assert!(rename(&library, &[], 0, offset, "y").is_ok());
    }
}
