//! Sketch files: any text is read, everything that is said of it lies inside, and a file without errors is laid out so that its
//! tree and comments stay and a second pass changes nothing.

use std::sync::{Arc, LazyLock};

use sumac_ide::sketch::vocabulary;
use sumac_sketch::text::lex::{comments, lex};
use sumac_sketch::text::{Library, Vocabulary, format, parse, parse_expression};

use crate::places::{assert_inside, without_places};

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(vocabulary);

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(expr) = parse_expression(&text) {
        let printed = expr.to_string();
        let again = parse_expression(&printed).map(|again| again.to_string());
        assert_eq!(again.ok().as_ref(), Some(&printed), "{text:?}");
    }
    let parsed = parse(&text);
    for error in &parsed.errors {
        assert_inside(&text, error.range, &error.message);
    }
    match format(&text) {
        Err(errors) => assert_eq!(errors, parsed.errors),
        Ok(formatted) => {
            assert_eq!(parsed.errors, []);
            let again = parse(&formatted);
            assert_eq!(again.errors, [], "{text:?}");
            assert_eq!(
                without_places(&again.file),
                without_places(&parsed.file),
                "{text:?}"
            );
            assert_eq!(comment_texts(&formatted), comment_texts(&text), "{text:?}");
            assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{text:?}");
        }
    }
    let library = Library::new([(Arc::from("a.sketch"), Arc::from(&*text))], &VOCABULARY);
    for finding in library.findings(0) {
        assert_inside(&text, finding.range, &finding.message);
    }
    for (range, known) in library.meanings(0) {
        assert_inside(&text, *range, "a name");
        let _ = (library.definition(known), library.references(known));
    }
    let names: Vec<String> = library
        .sketches()
        .map(|(_, sketch)| sketch.name.text.to_string())
        .collect();
    for name in names {
        if let Ok(filled) = library.fill(&name) {
            for stage in &filled.stages {
                let _ = stage.pattern.to_string();
            }
        }
    }
}

fn comment_texts(text: &str) -> Vec<&str> {
    let words = lex(text);
    let ranges = comments(text, &words);
    ranges.into_iter().map(|range| text[range].trim()).collect()
}
