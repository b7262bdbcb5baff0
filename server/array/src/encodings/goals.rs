//! The three goals of the comparison: where each begins, where it ends, and with which rules.

use crate::arena::normal;
use crate::node::Term;
use crate::program::Program;
use crate::rules::Library;
use crate::text::ast::RuleText;
use crate::types::Types;

/// A search from one term to another.
pub struct Goal {
    /// Where it begins.
    pub start: (Term, Types),
    /// Where it ends.
    pub end: (Term, Types),
    /// With which rules, beside beta and eta.
    pub rules: Vec<RuleText>,
}

/// Names of the goals, the simplest first.
pub const GOALS: [&str; 3] = ["reduction", "fission", "binomial"];

const ENDS: [(&str, &str, &[&str]); 3] = [
    (
        "reduction",
        "program reduction() = fun (x: f32) => x + 1 + 1 + 1 + 1 + 1 + 1 + 1",
        &[],
    ),
    (
        "fission",
        "program fission(n)(f1: f32 -> f32, f2: f32 -> f32, f3: f32 -> f32, f4: f32 -> f32, f5: f32 -> f32, x: [n]f32) =
           x |> map(fun e => f2(f1(e))) |> map(fun e => f5(f4(f3(e))))",
        &["map_fusion", "map_fission"],
    ),
    (
        "binomial",
        "program binomial(h, w)(image: [h][w]f32) =
           image |> slide[3, 1] |> map(fun rows =>
             transpose(rows)
               |> map(fun cells => zip(weightsV, cells) |> map(fun p => fst(p) * snd(p)) |> reduce(add, 0))
               |> slide[3, 1]
               |> map(fun cells => zip(weightsH, cells) |> map(fun p => fst(p) * snd(p)) |> reduce(add, 0)))",
        &[
            "map_fusion",
            "map_fission",
            "transpose_pair",
            "slide_before_map",
            "slide_before_transpose",
            "slide_after_map",
            "separate_vh",
            "separate_hv",
        ],
    ),
];

/// Where the reduction begins: the function itself, applied to nothing.
const REDUCTION: &str = "program reduction() =
  (fun (compose: (f32 -> f32) -> (f32 -> f32) -> f32 -> f32) =>
    (fun (add1: f32 -> f32) =>
      compose(add1, compose(add1, compose(add1, compose(add1, compose(add1, compose(add1, add1)))))))
    (fun y => y + 1))
  (fun f g z => f(g(z)))";

/// A goal by name.
#[must_use]
pub fn goal(name: &str) -> Option<Goal> {
    let (_, end, rules) = ENDS.iter().find(|(known, ..)| *known == name)?;
    let start = match name {
        "reduction" => Program::read(REDUCTION).expect("a test reads it"),
        _ => Program::built_in(name)?,
    };
    let end = Program::read(end).expect("a test reads them all");
    let library = Library::built_in();
    let rules = rules.iter().filter_map(|name| library.rule(name).cloned());
    // Reducing is what the first one is about.
    let start_term = if name == "reduction" {
        start.term.clone()
    } else {
        normal(&start.term)
    };
    Some(Goal {
        start: (start_term, start.types),
        end: (normal(&end.term), end.types),
        rules: rules.collect(),
    })
}
