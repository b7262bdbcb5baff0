//! The patterns and operators of the language, a row each: what they are called, their types, what they do.
//!
//! A new one is a variant, a row, and its meaning in `interpret.rs`; the parser, the types and the rules take it from here.

use crate::nat::Nat;
use crate::types::{NatId, Type, TypeId, Types};

/// A pattern or an operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "each has a row that says what it is")]
pub enum Prim {
    Map,
    MapSeq,
    MapPar,
    MapUnroll,
    Reduce,
    ReduceSeq,
    ReduceUnroll,
    Zip,
    Unzip,
    Split,
    Join,
    Transpose,
    Slide,
    Pad,
    Fst,
    Snd,
    Pair,
    Fill,
    MakeArray,
    ToMem,
    Let,
    AsVector,
    AsScalar,
    VectorFromScalar,
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Weights2d,
    WeightsV,
    WeightsH,
}

/// What is known of a primitive.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which it is.
    pub prim: Prim,
    /// As it is written.
    pub name: &'static str,
    /// The sizes in brackets behind it: `split[s]`.
    pub sizes: &'static [&'static str],
    /// Its type, in which `a`, `b` are data, `s` is a number, `t` a number or a vector; other names are sizes. Empty where
    /// the type follows from the size.
    pub ty: &'static str,
    /// The sign between two arguments.
    pub infix: Option<&'static str>,
    /// What it does.
    pub doc: &'static str,
}

const fn row(
    prim: Prim,
    name: &'static str,
    sizes: &'static [&'static str],
    ty: &'static str,
    doc: &'static str,
) -> Row {
    Row {
        prim,
        name,
        sizes,
        ty,
        infix: None,
        doc,
    }
}

const fn sign(prim: Prim, name: &'static str, infix: &'static str, doc: &'static str) -> Row {
    Row {
        prim,
        name,
        sizes: &[],
        ty: "t -> t -> t",
        infix: Some(infix),
        doc,
    }
}

const MAP: &str = "(a -> b) -> [n]a -> [n]b";
const REDUCE: &str = "(b -> a -> b) -> b -> [n]a -> b";

/// All primitives, in the order of [`Prim`].
pub const PRIMS: [Row; 33] = [
    row(Prim::Map, "map", &[], MAP, "a function on each element"),
    row(Prim::MapSeq, "mapSeq", &[], MAP, "a map that is a loop"),
    row(
        Prim::MapPar,
        "mapPar",
        &[],
        MAP,
        "a map that is a loop over all threads",
    ),
    row(
        Prim::MapUnroll,
        "mapUnroll",
        &[],
        MAP,
        "a map that is written out",
    ),
    row(
        Prim::Reduce,
        "reduce",
        &[],
        "(a -> a -> a) -> a -> [n]a -> a",
        "one value of all elements; the order is free: the function must be associative and commutative with the start as its neutral element",
    ),
    row(
        Prim::ReduceSeq,
        "reduceSeq",
        &[],
        REDUCE,
        "a reduction that is a loop, from the first element on",
    ),
    row(
        Prim::ReduceUnroll,
        "reduceUnroll",
        &[],
        REDUCE,
        "a reduction in order that is written out",
    ),
    row(
        Prim::Zip,
        "zip",
        &[],
        "[n]a -> [n]b -> [n](a, b)",
        "pairs of two arrays",
    ),
    row(
        Prim::Unzip,
        "unzip",
        &[],
        "[n](a, b) -> ([n]a, [n]b)",
        "two arrays of pairs",
    ),
    row(
        Prim::Split,
        "split",
        &["s"],
        "[n]a -> [n/s][s]a",
        "pieces of s elements",
    ),
    row(
        Prim::Join,
        "join",
        &[],
        "[n][m]a -> [n*m]a",
        "one array of the pieces",
    ),
    row(
        Prim::Transpose,
        "transpose",
        &[],
        "[n][m]a -> [m][n]a",
        "rows become columns",
    ),
    row(
        Prim::Slide,
        "slide",
        &["w", "s"],
        "[n]a -> [(n - w)/s + 1][w]a",
        "windows of w elements, s apart",
    ),
    row(
        Prim::Pad,
        "pad",
        &["l", "r"],
        "a -> [n]a -> [l + n + r]a",
        "a value l times before and r times behind",
    ),
    row(Prim::Fst, "fst", &[], "(a, b) -> a", "the first of a pair"),
    row(Prim::Snd, "snd", &[], "(a, b) -> b", "the second of a pair"),
    row(Prim::Pair, "pair", &[], "a -> b -> (a, b)", "a pair"),
    row(Prim::Fill, "fill", &["n"], "a -> [n]a", "a value n times"),
    row(
        Prim::MakeArray,
        "makeArray",
        &["n"],
        "",
        "an array of n values",
    ),
    row(
        Prim::ToMem,
        "toMem",
        &[],
        "a -> a",
        "a value that is stored",
    ),
    row(
        Prim::Let,
        "let",
        &[],
        "a -> (a -> b) -> b",
        "a value under a name, computed once",
    ),
    row(
        Prim::AsVector,
        "asVector",
        &["w"],
        "[n]s -> [n/w]<w>s",
        "vectors of w numbers",
    ),
    row(
        Prim::AsScalar,
        "asScalar",
        &[],
        "[n]<w>s -> [n*w]s",
        "the numbers of vectors",
    ),
    row(
        Prim::VectorFromScalar,
        "vectorFromScalar",
        &["w"],
        "s -> <w>s",
        "a vector of one number",
    ),
    sign(Prim::Add, "add", "+", "the sum"),
    sign(Prim::Sub, "sub", "-", "the difference"),
    sign(Prim::Mul, "mul", "*", "the product"),
    sign(Prim::Div, "div", "/", "the quotient"),
    row(
        Prim::Min,
        "min",
        &[],
        "t -> t -> t",
        "the smaller, or the second where one is NaN",
    ),
    row(
        Prim::Max,
        "max",
        &[],
        "t -> t -> t",
        "the larger, or the second where one is NaN",
    ),
    row(
        Prim::Weights2d,
        "weights2d",
        &[],
        "[3][3]f32",
        "the binomial kernel: 1 2 1, 2 4 2, 1 2 1",
    ),
    row(
        Prim::WeightsV,
        "weightsV",
        &[],
        "[3]f32",
        "its vertical factor: 1 2 1",
    ),
    row(
        Prim::WeightsH,
        "weightsH",
        &[],
        "[3]f32",
        "its horizontal factor: 1 2 1",
    ),
];

/// The factors of the binomial kernel.
pub(crate) const BINOMIAL: [f64; 3] = [1.0, 2.0, 1.0];

/// More values than this are read from memory, not written into a program.
pub const MOST_VALUES: usize = 64;

impl Prim {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &PRIMS[self as usize]
    }

    /// The primitive of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Prim> {
        let mut rows = PRIMS.iter();
        rows.find(|row| row.name == name).map(|row| row.prim)
    }

    /// Whether it is a map of any sort.
    #[must_use]
    pub fn is_map(self) -> bool {
        self.row().ty == MAP
    }
}

/// The type of `makeArray[n]` over an element type; `None` where n is no number or above [`MOST_VALUES`].
pub(crate) fn make_array(types: &mut Types, n: NatId, element: TypeId) -> Option<TypeId> {
    let count = types.get_nat(n).as_size().filter(|n| *n <= MOST_VALUES)?;
    let mut ty = types.add(Type::Array(n, element));
    for _ in 0..count {
        ty = types.fun(element, ty);
    }
    Some(ty)
}

/// A size that is a number.
pub(crate) fn number(types: &mut Types, value: i64) -> NatId {
    types.nat(Nat::constant(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_the_places_of_their_primitives_and_have_names_of_their_own() {
        for (place, row) in PRIMS.iter().enumerate() {
            assert_eq!(row.prim as usize, place, "{}", row.name);
            assert_eq!(Prim::named(row.name), Some(row.prim));
        }
    }

    #[test]
    fn an_array_of_three_values_takes_three() {
        let mut types = Types::default();
        let f32 = types.scalar(crate::types::Scalar::F32);
        let three = number(&mut types, 3);
        let ty = make_array(&mut types, three, f32).unwrap();
        assert_eq!(types.show(ty), "f32 -> f32 -> f32 -> [3]f32");
        let many = number(&mut types, 65);
        assert_eq!(make_array(&mut types, many, f32), None);
    }
}
