//! What a fused operator computes, as data: a small program over the rows or cells of its inputs, and what becomes of
//! its results. No names, sizes or nodes, so that equal operators are equal programs wherever they stand.
//!
//! A kernel never says how it is executed.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;
use sumac_la::Op;

use crate::print::op_sign;
use crate::template::Template;

/// How an operator sees an input. The operator goes through m rows, in Cell and Outer also through n columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// m rows: in Row a row at a time, else cell by cell, m x n.
    Cells,
    /// A vector of m cells: a number for each row. It may lie in memory as a row, for a transpose of one is not formed.
    Column,
    /// A vector of n cells: a number for each column; in Row one row for all. It may lie in memory as a column.
    Row,
    /// One number.
    Scalar,
    /// A factor as it is: the right one of a product with rows; of a product that is never formed, the one by rows.
    Whole,
    /// A factor that is read in the other direction.
    Transposed,
}

/// An input.
pub type Slot = Access;

/// One step; steps only read earlier ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// What an input has here, by its number.
    Slot(usize),
    /// A number, by its bits.
    Number(u64),
    /// A cellwise operator of one or two steps.
    Cell(Op, SmallVec<[usize; 2]>),
    /// Outer: the product of a row of the one input with a row of the other: `U[r,] %*% t(V[c,])`.
    Product(usize, usize),
    /// Row: a step's row times an input.
    Times(usize, usize),
    /// Row: some columns of a step's row, from 0, the end excluded.
    Slice(usize, u64, u64),
    /// Row: a step's row folded into a number, by the operator for rows.
    Fold(Op, usize),
}

/// What becomes of a step's results.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Finish {
    /// They are the result.
    Keep,
    /// Each row is folded.
    Rows(Op),
    /// Each column is folded.
    Columns(Op),
    /// All of them are folded.
    All(Op),
    /// Row: `t(left) %*% step`, summed over the rows.
    Sums(usize),
    /// Outer: `t(cells) %*% input`; `transposed`: its transpose, `t(input) %*% cells`.
    LeftProduct {
        /// The input.
        slot: usize,
        /// Whether the transpose is wanted.
        transposed: bool,
    },
    /// Outer: `cells %*% input`.
    RightProduct(usize),
}

/// A result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Output {
    /// The step.
    pub step: usize,
    /// What becomes of it.
    pub finish: Finish,
}

/// A fused operator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    /// Its kind.
    pub template: Template,
    /// Its inputs.
    pub slots: Vec<Slot>,
    /// Its steps, each read by a later one or an output.
    pub steps: Vec<Step>,
    /// Its results; several only in MAgg.
    pub outputs: Vec<Output>,
    /// Inputs whose zeros make all results of the outputs' steps zero: where one of them is sparse, only its non-zero
    /// cells need to be visited.
    pub drivers: Vec<usize>,
}

impl Kernel {
    /// A number that equal kernels share, on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        Hash::hash(self, &mut hasher);
        hasher.finish()
    }

    /// The variant of the template, as the paper's Table 1 calls it.
    #[must_use]
    pub fn variant(&self) -> String {
        let times = self
            .steps
            .iter()
            .any(|step| matches!(step, Step::Times(..)));
        let base = match (&self.outputs[0].finish, self.template) {
            (Finish::Keep, Template::Row) => match self.steps[self.outputs[0].step] {
                Step::Fold(..) => "row_agg",
                _ if times => "no_agg_B1",
                _ => "no_agg",
            },
            (Finish::Keep, _) => "no_agg",
            (Finish::Rows(_), _) => "row_agg",
            (Finish::Columns(_), _) if times => "col_agg_B1",
            (Finish::Columns(_), _) => "col_agg",
            (Finish::All(_), _) => "full_agg",
            (Finish::Sums(_), _) if times => "col_t_agg_B1",
            (Finish::Sums(_), _) => "col_t_agg",
            (Finish::LeftProduct { .. }, _) => "left_mm",
            (Finish::RightProduct(_), _) => "right_mm",
        };
        base.to_owned()
    }

    /// How many operators it computes: numbers and inputs are none.
    #[must_use]
    pub fn operators(&self) -> usize {
        let of_steps = self
            .steps
            .iter()
            .filter(|step| !matches!(step, Step::Slot(_) | Step::Number(_)))
            .count();
        let finishes = self
            .outputs
            .iter()
            .filter(|output| output.finish != Finish::Keep)
            .count();
        of_steps + finishes
    }

    /// The kernel as a short program: steps that are read more than once have names, the others stand where they are
    /// read. `inputs` and `outputs` are the names of these, `over` what is gone through.
    #[must_use]
    pub fn program(&self, inputs: &[String], outputs: &[String], over: &str) -> String {
        let mut reads = vec![0_usize; self.steps.len()];
        for step in &self.steps {
            each_read(step, |read| reads[read] += 1);
        }
        for output in &self.outputs {
            reads[output.step] += 1;
            if let Finish::Sums(left) = output.finish {
                reads[left] += 1;
            }
        }
        let mut names: Vec<Option<String>> = vec![None; self.steps.len()];
        let mut lines = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            if reads[i] > 1 && !matches!(step, Step::Slot(_) | Step::Number(_)) {
                let name = temporary(lines.len(), inputs, outputs);
                lines.push(format!("  {name} = {}", self.text(i, &names, inputs)));
                names[i] = Some(name);
            }
        }
        for (output, name) in self.outputs.iter().zip(outputs) {
            let value = || self.text(output.step, &names, inputs);
            let bound = |step: usize, least: u8| {
                let text = self.text(step, &names, inputs);
                if names[step].is_none() && self.strength(step) < least {
                    format!("({text})")
                } else {
                    text
                }
            };
            let here = match self.template {
                Template::Row => "r,",
                _ => "r,c",
            };
            lines.push(match &output.finish {
                Finish::Keep => format!("  {name}[{here}] = {}", value()),
                Finish::Rows(op) => format!("  {name}[r] {} {}", into(*op), value()),
                Finish::Columns(op) if self.template == Template::Row => {
                    format!("  {name} {} {}", into(*op), value())
                }
                Finish::Columns(op) => format!("  {name}[c] {} {}", into(*op), value()),
                Finish::All(op) => match self.template {
                    Template::Row => format!("  {name} += sum({})", value()),
                    _ => format!("  {name} {} {}", into(*op), value()),
                },
                Finish::Sums(left) => format!(
                    "  {name} += t({}) %*% {}",
                    self.text(*left, &names, inputs),
                    bound(output.step, PRODUCT + 1)
                ),
                Finish::LeftProduct { slot, transposed } => {
                    let target = if *transposed { "[,c]" } else { "[c,]" };
                    let source = self.factor_row(*slot, "r", inputs);
                    let source = if *transposed {
                        format!("t({source})")
                    } else {
                        source
                    };
                    format!(
                        "  {name}{target} += {} * {source}",
                        bound(output.step, TIMES)
                    )
                }
                Finish::RightProduct(slot) => format!(
                    "  {name}[r,] += {} * {}",
                    bound(output.step, TIMES),
                    self.factor_row(*slot, "c", inputs)
                ),
            });
        }
        format!("for each {over}:\n{}\n", lines.join("\n"))
    }

    fn factor_row(&self, slot: usize, index: &str, inputs: &[String]) -> String {
        match self.slots[slot] {
            Access::Transposed => format!("{}[,{index}]", inputs[slot]),
            _ => format!("{}[{index},]", inputs[slot]),
        }
    }

    /// How strongly a step's text holds together, where it has no name.
    fn strength(&self, step: usize) -> u8 {
        match &self.steps[step] {
            Step::Cell(op, _) => match op.info().print {
                sumac_la::Print::Infix(sign, strength)
                | sumac_la::Print::Prefix(sign, strength)
                    if sign.chars().all(|c| !c.is_alphabetic()) =>
                {
                    strength
                }
                _ => CALL,
            },
            // A product with a factor is easier to read apart.
            Step::Times(..) | Step::Product(..) => 0,
            Step::Number(bits) if f64::from_bits(*bits) < 0.0 => PRODUCT,
            _ => CALL,
        }
    }

    fn text(&self, step: usize, names: &[Option<String>], inputs: &[String]) -> String {
        if let Some(name) = &names[step] {
            return name.clone();
        }
        let of = |step: usize| self.text(step, names, inputs);
        // What binds less than its place asks for stands in parentheses.
        let inner = |step: usize, least: u8| {
            let text = of(step);
            if names[step].is_none() && self.strength(step) < least {
                format!("({text})")
            } else {
                text
            }
        };
        match &self.steps[step] {
            Step::Slot(slot) => {
                let name = &inputs[*slot];
                match (self.slots[*slot], self.template) {
                    (Access::Cells, Template::Row) => format!("{name}[r,]"),
                    (Access::Cells, _) => format!("{name}[r,c]"),
                    (Access::Column, _) => format!("{name}[r]"),
                    (Access::Row, Template::Row) | (Access::Scalar, _) => name.clone(),
                    (Access::Row, _) => format!("{name}[c]"),
                    (Access::Whole | Access::Transposed, _) => name.clone(),
                }
            }
            Step::Number(bits) => sumac_la::number(f64::from_bits(*bits)),
            Step::Cell(op, args) => {
                let sign = op_sign(*op);
                let is_call = sign.chars().any(char::is_alphabetic);
                match (is_call, args.as_slice()) {
                    (false, [a]) => format!("{sign}{}", inner(*a, CALL)),
                    (false, [a, b]) => {
                        let own = self.strength(step);
                        format!("{} {sign} {}", inner(*a, own), inner(*b, own + 1))
                    }
                    (_, args) => {
                        let args: Vec<String> = args.iter().map(|arg| of(*arg)).collect();
                        format!("{sign}({})", args.join(", "))
                    }
                }
            }
            Step::Product(left, right) => format!(
                "{} %*% t({})",
                self.factor_row(*left, "r", inputs),
                self.factor_row(*right, "c", inputs)
            ),
            Step::Times(row, matrix) => {
                let factor = match self.slots[*matrix] {
                    Access::Transposed => format!("t({})", inputs[*matrix]),
                    _ => inputs[*matrix].clone(),
                };
                format!("{} %*% {factor}", inner(*row, PRODUCT))
            }
            Step::Slice(row, from, to) => format!("{}[{}:{to}]", inner(*row, CALL), from + 1),
            Step::Fold(op, row) => {
                let name = match op {
                    Op::RowSums => "sum",
                    Op::RowMeans => "mean",
                    Op::RowMins => "min",
                    _ => "max",
                };
                format!("{name}({})", of(*row))
            }
        }
    }
}

/// Strengths of texts, as the table of operators has them.
const CALL: u8 = 10;
const PRODUCT: u8 = 7;
const TIMES: u8 = 5;

/// Calls `f` with each step that a step reads.
pub(crate) fn each_read(step: &Step, mut f: impl FnMut(usize)) {
    match step {
        Step::Slot(_) | Step::Number(_) | Step::Product(..) => {}
        Step::Cell(_, args) => args.iter().for_each(|arg| f(*arg)),
        Step::Times(row, _) | Step::Slice(row, _, _) | Step::Fold(_, row) => f(*row),
    }
}

/// How a result takes in a cell.
fn into(op: Op) -> &'static str {
    match op {
        Op::Min | Op::RowMins | Op::ColMins => "min=",
        Op::Max | Op::RowMaxs | Op::ColMaxs => "max=",
        Op::Mean | Op::RowMeans | Op::ColMeans => "mean=",
        _ => "+=",
    }
}

/// A short name that nothing else has.
fn temporary(number: usize, inputs: &[String], outputs: &[String]) -> String {
    let letters = "abcdefghijklmnopqstuvwxyz";
    let letter = |i: usize| letters.as_bytes()[i % letters.len()] as char;
    let mut round = number / letters.len();
    loop {
        let name = match round {
            0 => letter(number).to_string(),
            n => format!("{}{n}", letter(number)),
        };
        if !inputs.contains(&name) && !outputs.contains(&name) && name != "r" && name != "c" {
            return name;
        }
        round += 1;
    }
}
