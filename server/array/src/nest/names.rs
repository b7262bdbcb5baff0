//! Names of inputs as C can have them.

/// Words of C that could be names of inputs, and names that a nest gives itself.
const TAKEN: [&str; 36] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "main", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while", "out",
];

/// What the C calls or declares with.
const USED: [&str; 4] = ["abort", "aligned_alloc", "free", "uintptr_t"];

/// A name that C does not use otherwise.
pub(super) fn safe(name: &str) -> String {
    // A letter or a word with a number: counters, buffers and vector types are called so.
    let is_numbered = name.ends_with(|c: char| c.is_ascii_digit());
    if is_numbered || TAKEN.contains(&name) || USED.contains(&name) {
        return format!("{name}_");
    }
    name.to_owned()
}
