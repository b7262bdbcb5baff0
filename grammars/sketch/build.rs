//! Compiles the generated parser.

fn main() {
    cc::Build::new()
        .std("c11")
        .include("src")
        .file("src/parser.c")
        .warnings(false)
        .compile("tree-sitter-sketch");
    for input in ["src/parser.c", "src/tree_sitter/parser.h"] {
        println!("cargo:rerun-if-changed={input}");
    }
}
