//! From linear algebra to array programs: an expression of a DAG as maps and reductions over its inputs.
//!
//! Dimensions of one are left out: a 1 x 1 matrix is a number, a row or a column is an array of numbers, all else is an array of
//! rows. A value that loops would compute again and again, or that is used twice, is stored once. This module must never
//! choose loops: sketches ask for those. What has no pattern is refused by name.

mod patterns;
mod sizes;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use patterns::{CELLWISE, FOLDS, Fold, Form, Over, PRODUCT, SUM, Start, each, reads, transposed};
use sumac_la::{Dag, Dim, Node, NodeId, Op};

use crate::program::{Program, Sizes};
use crate::text;
use crate::types::Scalar;

/// An expression as a program.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The program; what it computes is the expression's value, row by row.
    pub program: Program,
    /// The numbers that are known of its sizes.
    pub sizes: Sizes,
    /// What its inputs are called in the DAG, in the program's order: names that are none in a program are changed there.
    pub inputs: Vec<Arc<str>>,
}

/// The program of what `root` stands for, over numbers of one type.
///
/// Sizes are named, for a schedule does not depend on them: those of the last product of matrices are `m`, `n` and `k`, all
/// others are called as in the DAG where that is a word. Sums are those of SystemDS in any order; `min` and `max` of NaN are
/// those of the language.
///
/// # Errors
/// An operator has no pattern, a size or a number makes no sense in a program, or there is nothing to compute: text for a person.
pub fn of_dag(dag: &Dag, root: NodeId, name: &str, scalar: Scalar) -> Result<Translated, String> {
    if dag.args(root).is_empty() {
        return Err(format!("`{}` computes nothing", dag.print(root)));
    }
    let mut translation = Translation::new(dag, root, scalar);
    translation.equate()?;
    translation.name_sizes();
    translation.place();
    let mut text = translation.head(name);
    for id in translation.order.clone() {
        let made = translation.text_of(id)?;
        let made = if translation.is_stored(id) && id != root {
            let stored = format!("_stored{}", id.index());
            let _ = write!(text, "let {stored} = toMem({made}) in\n  ");
            stored
        } else {
            made
        };
        translation.texts.insert(id, made);
    }
    text += &translation.texts[&root];
    let mut program = Program::read(&text).map_err(|error| {
        format!(
            "`{}` makes no array program: {}",
            dag.print(root),
            error.message
        )
    })?;
    program.doc = dag.print(root);
    let inputs = translation.inputs();
    Ok(Translated {
        program,
        sizes: translation.known_sizes(),
        inputs: inputs
            .map(|(id, _)| Arc::clone(&dag.input_of(id).expect("an input").name))
            .collect(),
    })
}

struct Translation<'a> {
    dag: &'a Dag,
    scalar: Scalar,
    /// What the root needs, arguments first.
    order: Vec<NodeId>,
    /// For each axis of each node one that is of equal size, or itself.
    same: Vec<usize>,
    /// What is known of an axis that stands for all its equals.
    dims: Vec<Dim>,
    /// The size of such an axis by name.
    names: BTreeMap<usize, String>,
    stored: Vec<bool>,
    texts: BTreeMap<NodeId, String>,
}

impl<'a> Translation<'a> {
    fn new(dag: &'a Dag, root: NodeId, scalar: Scalar) -> Self {
        let order = dag.reachable_by(&[root], |id| reads(dag, id));
        let mut dims = vec![Dim::Unknown; 2 * dag.len()];
        for id in &order {
            dims[2 * id.index()] = dag.ty(*id).rows.clone();
            dims[2 * id.index() + 1] = dag.ty(*id).cols.clone();
        }
        Translation {
            dag,
            scalar,
            order,
            same: (0..2 * dag.len()).collect(),
            dims,
            names: BTreeMap::new(),
            stored: vec![false; dag.len()],
            texts: BTreeMap::new(),
        }
    }

    /// The inputs and what they are called here.
    fn inputs(&self) -> impl Iterator<Item = (NodeId, String)> {
        let mut taken: Vec<String> = self.names.values().cloned().collect();
        let mut inputs = Vec::new();
        for id in &self.order {
            let Some(input) = self.dag.input_of(*id) else {
                continue;
            };
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let mut name = input.name.replace(|c| !is_part(c), "_");
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                name.insert(0, 'v');
            }
            while !text::is_name(&name) || taken.contains(&name) {
                name.push('_');
            }
            taken.push(name.clone());
            inputs.push((*id, name));
        }
        inputs.into_iter()
    }

    /// Everything before the expression; inputs have their texts then.
    fn head(&mut self, name: &str) -> String {
        let mut sizes: Vec<&str> = self.names.values().map(String::as_str).collect();
        sizes.sort_by_key(|name| {
            (
                PRODUCT.iter().position(|own| own == name).unwrap_or(3),
                *name,
            )
        });
        let inputs: Vec<(NodeId, String)> = self.inputs().collect();
        let shown: Vec<String> = inputs
            .iter()
            .map(|(id, name)| {
                let mut ty = String::new();
                for axis in [0, 1] {
                    if !self.is_one(*id, axis) {
                        let _ = write!(ty, "[{}]", self.names[&self.axis(*id, axis)]);
                    }
                }
                format!("{name}: {ty}{}", self.scalar.name())
            })
            .collect();
        let name = if text::is_name(name) { name } else { "kernel" };
        let sizes = if sizes.is_empty() {
            String::new()
        } else {
            format!("({})", sizes.join(", "))
        };
        let head = format!("program {name}{sizes}({}) =\n  ", shown.join(", "));
        self.texts.extend(inputs);
        head
    }

    /// Decides what is stored.
    fn place(&mut self) {
        let mut uses = vec![0_u32; self.dag.len()];
        for id in self.order.clone() {
            for (n, arg) in reads(self.dag, id).iter().enumerate() {
                let base = self.base(*arg);
                uses[base.index()] += u32::from(!self.is_place(id));
                if self.is_repeated(id, n) {
                    self.stored[base.index()] = true;
                }
            }
        }
        for (id, uses) in uses.into_iter().enumerate() {
            self.stored[id] |= uses > 1;
        }
    }

    /// Whether it only says where the cells of its argument are.
    fn is_place(&self, id: NodeId) -> bool {
        matches!(
            self.dag.node(id),
            Node::Op(Op::Transpose | Op::AsScalar | Op::AsMatrix, _)
        )
    }

    /// Whose cells these are.
    fn base(&self, id: NodeId) -> NodeId {
        let mut id = id;
        while self.is_place(id) {
            id = self.dag.args(id)[0];
        }
        id
    }

    fn is_stored(&self, id: NodeId) -> bool {
        self.stored[id.index()] && !self.dag.args(id).is_empty() && !self.is_place(id)
    }

    /// Whether the n-th argument is read more than once for all cells of the result.
    fn is_repeated(&self, id: NodeId, n: usize) -> bool {
        let Node::Op(op, args) = self.dag.node(id) else {
            return false;
        };
        match op {
            Op::MatMul => !self.is_one(id, 1 - n),
            _ => self.form(args[n]) != self.form(id) && CELLWISE.iter().any(|(own, _)| own == op),
        }
    }

    /// A number as text.
    fn number(&self, value: f64) -> Result<String, String> {
        if !value.is_finite() {
            return Err(format!("{value} is no number of an array program"));
        }
        let shown = format!("{}{}", value.abs(), self.scalar.name());
        Ok(if value < 0.0 {
            format!("(0{} - {shown})", self.scalar.name())
        } else {
            shown
        })
    }

    fn text_of(&self, id: NodeId) -> Result<String, String> {
        let (op, args) = match self.dag.node(id) {
            Node::Input(_) => return Ok(self.texts[&id].clone()),
            Node::Num(bits) => return self.number(f64::from_bits(*bits)),
            Node::Op(op, args) => (*op, args),
        };
        let arg = |n: usize| self.texts[&args[n]].as_str();
        if let Some((_, sign)) = CELLWISE.iter().find(|(known, _)| *known == op) {
            return Ok(self.cellwise(id, sign));
        }
        if let Some((_, fold, over, is_mean)) = FOLDS.iter().find(|(known, ..)| *known == op) {
            let total = self.folded(*fold, *over, args[0])?;
            if !is_mean {
                return Ok(total);
            }
            let count = self.count(*over, args[0])?;
            let share = format!("_e / {count}");
            return Ok(each(self.form(id), &share, &total));
        }
        let minus = self.number(-1.0)?;
        match op {
            Op::MatMul => self.product(id),
            Op::Transpose if self.form(args[0]) != Form::Matrix => Ok(arg(0).to_owned()),
            Op::Transpose => Ok(transposed(arg(0))),
            Op::AsScalar | Op::AsMatrix => Ok(arg(0).to_owned()),
            Op::Neg => Ok(each(self.form(id), &format!("_e * {minus}"), arg(0))),
            Op::Abs => Ok(each(
                self.form(id),
                &format!("max(_e, _e * {minus})"),
                arg(0),
            )),
            Op::Pow => {
                let power = match self.dag.value(args[1]) {
                    Some(2.0) => "_e * _e",
                    Some(3.0) => "_e * _e * _e",
                    _ => return Err(self.refused(id, "only squares and cubes are products")),
                };
                Ok(each(self.form(id), power, arg(0)))
            }
            Op::Fill => {
                let mut made = arg(0).to_owned();
                for axis in [1, 0] {
                    if !self.is_one(id, axis) {
                        let size = &self.names[&self.axis(id, axis)];
                        made = format!("fill[{size}]({made})");
                    }
                }
                Ok(made)
            }
            Op::Nrow => self.length(args[0], 0),
            Op::Ncol => self.length(args[0], 1),
            Op::Length => self.count(Over::All, args[0]),
            _ => Err(self.refused(id, "there is no pattern for it")),
        }
    }

    fn refused(&self, id: NodeId, why: &str) -> String {
        format!("`{}` has no array program: {why}", self.dag.print(id))
    }

    fn product(&self, id: NodeId) -> Result<String, String> {
        let args = self.dag.args(id);
        let (a, b) = (&self.texts[&args[0]], &self.texts[&args[1]]);
        let (has_rows, has_columns) = (!self.is_one(id, 0), !self.is_one(id, 1));
        if self.is_one(args[0], 1) {
            return Ok(match (has_rows, has_columns) {
                (true, true) => format!("map(fun _a => map(fun _b => _a * _b, {b}), {a})"),
                (true, false) => format!("map(fun _a => _a * {b}, {a})"),
                (false, true) => format!("map(fun _b => {a} * _b, {b})"),
                (false, false) => format!("({a} * {b})"),
            });
        }
        let inner = |a: &str, b: &str| -> Result<String, String> {
            let products = format!("map(fun _pair => fst(_pair) * snd(_pair), zip({a}, {b}))");
            Ok(format!("{}({products})", self.fold(SUM)?))
        };
        Ok(match (has_rows, has_columns) {
            (true, true) => format!(
                "map(fun _row => map(fun _column => {}, {}), {a})",
                inner("_row", "_column")?,
                transposed(b)
            ),
            (true, false) => format!("map(fun _row => {}, {a})", inner("_row", b)?),
            (false, true) => format!(
                "map(fun _column => {}, {})",
                inner(a, "_column")?,
                transposed(b)
            ),
            (false, false) => inner(a, b)?,
        })
    }

    /// Two values cell by cell; what has fewer dimensions is repeated.
    fn cellwise(&self, id: NodeId, sign: &str) -> String {
        let args = self.dag.args(id);
        let (a, b) = (&self.texts[&args[0]], &self.texts[&args[1]]);
        let calc = |a: &str, b: &str| sign.replacen('@', a, 1).replacen('@', b, 1);
        let pairs = |a: &str, b: &str| {
            let both = calc("fst(_pair)", "snd(_pair)");
            format!("map(fun _pair => {both}, zip({a}, {b}))")
        };
        let (left, right) = (self.form(args[0]), self.form(args[1]));
        match (self.form(id), left, right) {
            (Form::Number, ..) => calc(a, b),
            (Form::Matrix, Form::Matrix, Form::Matrix) => {
                let rows = pairs("fst(_rows)", "snd(_rows)");
                format!("map(fun _rows => {rows}, zip({a}, {b}))")
            }
            (Form::Matrix, Form::Matrix, Form::Column) => {
                let row = format!("map(fun _e => {}, fst(_both))", calc("_e", "snd(_both)"));
                format!("map(fun _both => {row}, zip({a}, {b}))")
            }
            (Form::Matrix, Form::Column, Form::Matrix) => {
                let row = format!("map(fun _e => {}, snd(_both))", calc("fst(_both)", "_e"));
                format!("map(fun _both => {row}, zip({a}, {b}))")
            }
            (Form::Matrix, Form::Matrix, Form::Row) => {
                format!("map(fun _row => {}, {a})", pairs("_row", b))
            }
            (Form::Matrix, Form::Row, Form::Matrix) => {
                format!("map(fun _row => {}, {b})", pairs(a, "_row"))
            }
            (Form::Matrix, Form::Column, Form::Row) => {
                let row = format!("map(fun _f => {}, {b})", calc("_e", "_f"));
                format!("map(fun _e => {row}, {a})")
            }
            (Form::Matrix, Form::Row, Form::Column) => {
                let row = format!("map(fun _f => {}, {a})", calc("_f", "_e"));
                format!("map(fun _e => {row}, {b})")
            }
            (_, Form::Number, whole) => each(whole, &calc(a, "_e"), b),
            (_, whole, Form::Number) => each(whole, &calc("_e", b), a),
            (..) => pairs(a, b),
        }
    }

    /// A reduction that waits for its array.
    fn fold(&self, fold: Fold) -> Result<String, String> {
        let start = match fold.start {
            Start::Number(value) => self.number(value)?,
            Start::Infinite(sign) => {
                format!("({} / {})", self.number(sign)?, self.number(0.0)?)
            }
        };
        Ok(format!("reduce({}, {start})", fold.op))
    }

    fn folded(&self, fold: Fold, over: Over, arg: NodeId) -> Result<String, String> {
        let xs = &self.texts[&arg];
        let fold = self.fold(fold)?;
        Ok(match (over, self.form(arg)) {
            (_, Form::Number) | (Over::Rows, Form::Column) | (Over::Columns, Form::Row) => {
                xs.clone()
            }
            (_, Form::Row | Form::Column) => format!("{fold}({xs})"),
            (Over::All, Form::Matrix) => format!("{fold}(map({fold}, {xs}))"),
            (Over::Rows, Form::Matrix) => format!("map({fold}, {xs})"),
            (Over::Columns, Form::Matrix) => format!("map({fold}, {})", transposed(xs)),
        })
    }

    /// How many cells are put together, as a sum of ones: sizes are no values.
    fn count(&self, over: Over, arg: NodeId) -> Result<String, String> {
        let (rows, columns) = (self.length(arg, 0)?, self.length(arg, 1)?);
        Ok(match over {
            Over::Rows => columns,
            Over::Columns => rows,
            Over::All => format!("({rows} * {columns})"),
        })
    }

    fn length(&self, arg: NodeId, axis: usize) -> Result<String, String> {
        let one = self.number(1.0)?;
        if self.is_one(arg, axis) {
            return Ok(one);
        }
        let size = &self.names[&self.axis(arg, axis)];
        Ok(format!("{}(fill[{size}]({one}))", self.fold(SUM)?))
    }
}
