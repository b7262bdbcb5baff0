//! What a proof assumes of sizes, as the person calls them: the proof has names of its own for values that have none.

use sumac_la::Dag;

/// What a line begins with that lists sizes.
const SIZES: &str = "proved for all sizes above zero: ";

/// Bytes of an expression that is still a name.
const LONGEST: usize = 60;

/// The line with the script's expressions in the place of made-up names. What has no text is left out of a list; `None` where
/// nothing is left to say.
pub(super) fn spoken(line: &str, dag: &Dag) -> Option<String> {
    let Some(sizes) = line.strip_prefix(SIZES) else {
        let text = named(line, dag);
        return Some(text.unwrap_or_else(|| line.to_owned()));
    };
    let mut names: Vec<String> = sizes
        .split(", ")
        .filter_map(|name| named(name, dag))
        .collect();
    names.sort();
    names.dedup();
    match names.as_slice() {
        [] => None,
        names => Some(format!("{SIZES}{}", names.join(", "))),
    }
}

/// The text with each `<…>` replaced by the expression whose letters stand there; `None` where there is none.
fn named(text: &str, dag: &Dag) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        let Some((inside, behind)) = behind.split_once('>') else {
            break;
        };
        out.push_str(before);
        out.push_str(&text_of(inside, dag)?);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

/// The text of what a made-up name stands for: an operator by its number, or an input by its letters.
fn text_of(name: &str, dag: &Dag) -> Option<String> {
    if let Ok(number) = name.parse::<usize>() {
        let operator = dag.ids().find(|id| id.index() == number)?;
        return Some(dag.print(operator)).filter(|text| text.len() <= LONGEST);
    }
    let mut inputs = dag.inputs().iter();
    let input = inputs.find(|input| letters(&input.name) == name)?;
    Some(input.name.to_string())
}

/// What a made-up name keeps of an expression.
fn letters(text: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '#' | '=');
    text.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use sumac_la::{Op, Type};

    use super::*;

    #[test]
    fn names_that_a_proof_made_up_are_not_shown() {
        let mut dag = Dag::default();
        let entry = dag.input("as.matrix(L[1])", Type::matrix(3, 3));
        let sums = dag.op(Op::ColSums, [entry]).unwrap();
        let line = "proved for all sizes above zero: ncol(<23>), ncol(U), nrow(<as.matrixL1>)";
        assert_eq!(
            spoken(line, &dag).as_deref(),
            Some("proved for all sizes above zero: ncol(U), nrow(as.matrix(L[1]))")
        );
        let numbered = format!("ncol(<{}>) = n", sums.index());
        assert_eq!(
            spoken(&numbered, &dag).as_deref(),
            Some("ncol(colSums(as.matrix(L[1]))) = n")
        );
        assert_eq!(
            spoken("proved for all sizes above zero: n(<23>)", &dag),
            None
        );
        assert_eq!(spoken("n < m", &dag).as_deref(), Some("n < m"));
    }
}
