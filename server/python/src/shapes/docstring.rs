//! Docstrings in the styles of numpydoc, Google, Sphinx, and on one line: `X : array of shape (n, d); w : (n,)`.
//!
//! Only parameters are read, and only where they are described. Must never take words in brackets for sizes where nothing says so.

use super::{Claim, sizes_in};
use crate::value::DType;

/// What a docstring says of one parameter.
#[derive(Clone, Debug)]
pub(crate) struct Documented {
    /// The parameter.
    pub(crate) name: String,
    /// What is said.
    pub(crate) claim: Claim,
    /// In which line, from zero.
    pub(crate) line: usize,
}

/// Headings after which names are no parameters, and those after which they are again.
const OTHER_SECTIONS: &[&str] = &[
    "returns",
    "return",
    "yields",
    "raises",
    "attributes",
    "examples",
    "example",
    "notes",
    "note",
    "see also",
    "references",
    "warns",
];
const SECTIONS: &[&str] = &[
    "parameters",
    "other parameters",
    "args",
    "arguments",
    "params",
    "inputs",
    "keyword args",
];

/// Words in the description of a type that is no array.
const NO_ARRAYS: &[&str] = &[
    "list",
    "lists",
    "tuple",
    "tuples",
    "dict",
    "callable",
    "dataframe",
    "series",
    "tensor",
    "str",
    "string",
    "iterable",
    "generator",
    "function",
    "sequence",
    "np.matrix",
    "numpy.matrix",
];

/// Words of a type beside which an array of this shape is only one of what may be passed, or is none of NumPy's.
const OTHER_KINDS: &[&str] = &[
    "scalar",
    "scalars",
    "float",
    "number",
    "numeric",
    "none",
    "union",
    "csr_matrix",
    "csc_matrix",
    "coo_matrix",
    "csr_array",
    "csc_array",
    "csr",
    "csc",
    "coo",
    "masked",
    "maskedarray",
    "decimal",
    "object",
    "indices",
    "index",
    "image",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "uint64",
    "unsigned",
    "torch",
    "tensors",
    "pandas",
    "cupy",
    "dask",
    "xarray",
    "broadcastable",
    "broadcast",
    "flattened",
    "ravelled",
    "stacked",
    "quantity",
];

/// Phrases that name a shape and do not state it.
const NO_STATEMENTS: &[&str] = &[
    "not of shape",
    "at least",
    "at most",
    "same shape as",
    "compatible with",
    "np.ndarray[int",
    "ndarray[int",
];

/// Whether a text allows something else than an array of NumPy of exactly the shape that it names.
fn allows_others(lower: &str) -> bool {
    // `array-like or float`, `float or array`; `arrays of floats` and `float64` are kinds of numbers.
    OTHER_KINDS
        .iter()
        .any(|word| words(lower).any(|other| other.trim_matches(['.', '-']) == *word))
        || NO_STATEMENTS.iter().any(|phrase| lower.contains(phrase))
}

/// Reads a docstring of a function with these parameters.
pub(crate) fn documented(text: &str, is_parameter: &dyn Fn(&str) -> bool) -> Vec<Documented> {
    let mut found: Vec<Documented> = Vec::new();
    let mut is_open = true;
    // Names that were described without sizes, and how far their line was indented.
    let mut pending: Option<(Vec<String>, usize)> = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let bare = line.trim_start_matches(['r', 'R', '"', '\'', ' ', '\t']);
        let heading = bare.trim_end_matches(':').to_lowercase();
        if OTHER_SECTIONS.contains(&heading.as_str()) {
            is_open = false;
        }
        if SECTIONS.contains(&heading.as_str()) {
            is_open = true;
        }
        if bare.starts_with(":return") || bare.starts_with(":rtype") {
            pending = None;
            continue;
        }
        if !is_open {
            continue;
        }
        let line = if at == 0 {
            line.trim_start_matches(['r', 'R', '"', '\''])
        } else {
            line
        };
        let indent = line.len() - line.trim_start().len();
        let mut is_described = false;
        for piece in line.trim_matches(['"', '\'']).split(';') {
            let Some((names, claim)) = described(piece, is_parameter) else {
                continue;
            };
            is_described = true;
            pending = None;
            match claim {
                Some(claim) => {
                    for name in names {
                        let claim = claim.clone();
                        found.push(Documented {
                            name,
                            claim,
                            line: at,
                        });
                    }
                }
                None => pending = Some((names, indent)),
            }
        }
        if is_described {
            continue;
        }
        if let Some((names, start)) = &pending {
            if indent <= *start && !line.trim().is_empty() {
                pending = None;
            } else if let Some(claim) = in_words(line) {
                for name in names {
                    found.push(Documented {
                        name: name.clone(),
                        claim: claim.clone(),
                        line: at,
                    });
                }
                pending = None;
            }
        }
    }
    found
}

/// The parameters that a piece of a line describes, and what it says of them.
fn described(
    piece: &str,
    is_parameter: &dyn Fn(&str) -> bool,
) -> Option<(Vec<String>, Option<Claim>)> {
    let piece = piece.trim();
    if let Some(rest) = piece.strip_prefix(":param ") {
        let (head, words) = rest.split_once(':')?;
        let name = head.split_whitespace().last()?;
        let kind = head.trim_end().strip_suffix(name)?;
        let claim = in_type(kind).or_else(|| in_words(words));
        return is_parameter(name).then(|| (vec![name.to_owned()], claim));
    }
    if let Some(rest) = piece.strip_prefix(":type ") {
        let (name, kind) = rest.split_once(':')?;
        let name = name.trim();
        return is_parameter(name).then(|| (vec![name.to_owned()], in_type(kind)));
    }
    let (head, rest) = split_outside(piece)?;
    let head = head.trim();
    if let Some((name, kind)) = head.split_once('(') {
        // Google's style: the type stands in brackets behind the name.
        let name = name.trim().trim_matches(['*', '`']);
        let kind = kind.trim_end().strip_suffix(')')?;
        if !is_parameter(name) {
            return None;
        }
        let in_brackets = format!("({kind})");
        let claim = in_type(&in_brackets)
            .or_else(|| in_type(kind))
            .or_else(|| in_words(rest));
        let claim = match claim {
            // The words behind it may say the sizes.
            Some(Claim::Number(dtype)) if rest.contains("shape") => {
                Some(in_words(rest).unwrap_or(Claim::Number(dtype)))
            }
            other => other,
        };
        return Some((vec![name.to_owned()], claim));
    }
    let names: Vec<String> = head
        .split(',')
        .map(|name| name.trim().trim_matches(['*', '`']).to_owned())
        .collect();
    if !names.iter().all(|name| is_parameter(name)) {
        return None;
    }
    Some((names, in_type(rest)))
}

/// The text before and behind the first colon that stands outside of brackets.
fn split_outside(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ':' if depth == 0 => return Some((text.get(..at)?, text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || "._-".contains(c)))
}

/// What the description of a type says.
fn in_type(text: &str) -> Option<Claim> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let has = |word: &str| words(&lower).any(|other| other.trim_matches('.') == word);
    if lower.contains("sparse") {
        return Some(Claim::Other);
    }
    if NO_ARRAYS.iter().any(|word| has(word)) {
        return None;
    }
    let is_array = ["array", "shape", "matrix", "vector"]
        .iter()
        .any(|word| lower.contains(word));
    if !is_array && !text.starts_with('(') {
        let mut words = words(&lower).filter(|word| !word.is_empty());
        let (first, second) = (words.next()?, words.next());
        let is_alone = matches!(second, None | Some("optional" | "default" | "in"));
        return match first {
            "float" if is_alone => Some(Claim::Number(DType::Float64)),
            "int" if is_alone => Some(Claim::Number(DType::Int)),
            _ => None,
        };
    }
    if allows_others(&lower) && !lower.contains("array of float") {
        return None;
    }
    let dims = sizes_in(text, &|before, _| {
        !before.ends_with('[') && is_bracket_of_sizes(text, before)
    })?;
    let among = |list: &[&str]| list.iter().any(|word| has(word));
    let dtype = if among(&[
        "int", "ints", "integer", "integers", "int64", "int32", "np.int64",
    ]) {
        DType::Int
    } else if among(&["bool", "bools", "boolean", "booleans"]) {
        DType::Bool
    } else if lower.contains("complex") {
        DType::Complex
    } else if lower.contains("float32") {
        DType::Float32
    } else if lower.contains("float64") {
        DType::Float64
    } else {
        DType::Assumed
    };
    Some(Claim::Array { dims, dtype })
}

/// Whether the bracket after `before` may hold sizes: a square one only where it is called a shape.
fn is_bracket_of_sizes(text: &str, before: &str) -> bool {
    let is_square = text
        .get(before.len()..)
        .is_some_and(|rest| rest.starts_with('['));
    let before = before.trim_end().trim_end_matches([':', '=']).trim_end();
    !is_square || before.to_lowercase().ends_with("shape")
}

/// What words beside a name say: only what they call a shape.
fn in_words(text: &str) -> Option<Claim> {
    let lower = text.to_lowercase();
    if lower.contains("sparse") {
        return Some(Claim::Other);
    }
    if NO_ARRAYS
        .iter()
        .any(|no| words(&lower).any(|word| word == *no))
    {
        return None;
    }
    if allows_others(&lower) {
        return None;
    }
    let dims = sizes_in(text, &|before, behind| {
        let before = before.trim_end().trim_end_matches([':', '=']).trim_end();
        let behind = behind.trim_start().to_lowercase();
        before.to_lowercase().ends_with("shape")
            || ["array", "ndarray", "matrix"]
                .iter()
                .any(|word| behind.starts_with(word))
    })?;
    Some(Claim::Array {
        dims,
        dtype: DType::Assumed,
    })
}
