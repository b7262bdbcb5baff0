//! Linear algebra as an egg language: what a sketch is written in, so that it can be matched as it is written.
//!
//! Relations cannot serve here: a join has no operator that a person would name. Each class carries what the DAG knows
//! of a value, so rules and annotations can ask for shapes. Must never add a term but the number that a class is.

use egg::{Analysis, DidMerge, EGraph, Id, Language};
use smallvec::SmallVec;
use sumac_la::{Arg, Kind, Op, Type, infer};

/// An e-node. Children of commutative operators stand in ascending order, so commutativity costs no rule and no node.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum La {
    /// An input, by its number.
    Input(u32),
    /// A number, by its bits.
    Num(u64),
    /// An operator.
    Op(Op, SmallVec<[Id; 2]>),
}

/// What two e-nodes of one kind share.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Head {
    /// Inputs.
    Input,
    /// Numbers.
    Num,
    /// One operator.
    Op(Op),
}

impl La {
    /// An operator over children.
    #[must_use]
    pub fn op(op: Op, children: impl IntoIterator<Item = Id>) -> La {
        let mut node = La::Op(op, children.into_iter().collect());
        node.sort();
        node
    }

    /// A number; there is one zero.
    #[must_use]
    pub fn num(value: f64) -> La {
        La::Num(if value == 0.0 { 0.0_f64 } else { value }.to_bits())
    }

    fn sort(&mut self) {
        if let La::Op(op, children) = self
            && op.info().commutative
        {
            children.sort_unstable();
        }
    }
}

impl Language for La {
    type Discriminant = Head;

    fn discriminant(&self) -> Head {
        match self {
            La::Input(_) => Head::Input,
            La::Num(_) => Head::Num,
            La::Op(op, _) => Head::Op(*op),
        }
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (La::Input(a), La::Input(b)) => a == b,
            (La::Num(a), La::Num(b)) => a == b,
            (La::Op(a, x), La::Op(b, y)) => a == b && x.len() == y.len(),
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            La::Input(_) | La::Num(_) => &[],
            La::Op(_, children) => children,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            La::Input(_) | La::Num(_) => &mut [],
            La::Op(_, children) => children,
        }
    }

    /// As egg's own, then back into canonical order.
    fn update_children<F: FnMut(Id) -> Id>(&mut self, mut f: F) {
        for id in self.children_mut() {
            *id = f(*id);
        }
        self.sort();
    }
}

/// What is known of every term of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// Its shape, and the tightest estimate of its sparsity.
    pub ty: Type,
    /// Its value where sizes of arguments make it a number: for shapes only.
    pub value: Option<f64>,
    /// Its value where numbers of the script make it one.
    pub constant: Option<f64>,
    /// Nodes of its smallest term.
    pub size: u32,
}

/// egg's analysis: what is known of inputs, and whether a rule was wrong.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The types of the inputs.
    pub inputs: Vec<Type>,
    /// Two classes of different shape were merged: a rule is wrong.
    pub broken: bool,
}

/// The e-graph of a guided search.
pub type LaGraph = EGraph<La, Facts>;

/// What an operator over such arguments is; of commutative ones, in the order of arguments that fits. `None` if none fits.
#[must_use]
pub fn fact_of(op: Op, args: &[&Fact], is_gram: bool) -> Option<Fact> {
    let typed = |args: &[&Fact]| {
        let args: SmallVec<[Arg<'_>; 6]> = args
            .iter()
            .map(|fact| Arg {
                ty: &fact.ty,
                value: fact.value,
            })
            .collect();
        infer(op, &args, is_gram).ok()
    };
    let ty = typed(args).or_else(|| {
        let swaps = op.info().commutative && args.len() == 2;
        swaps.then(|| typed(&[args[1], args[0]])).flatten()
    })?;
    let of = |pick: &dyn Fn(&Fact) -> Option<f64>| -> Option<f64> {
        let arg = |n: usize| pick(args[n]);
        let value = match op {
            Op::Add => arg(0)? + arg(1)?,
            Op::Sub => arg(0)? - arg(1)?,
            Op::Mul => arg(0)? * arg(1)?,
            Op::Div => arg(0)? / arg(1)?,
            Op::Neg => -arg(0)?,
            _ => return None,
        };
        (ty.is_scalar() && value.is_finite()).then_some(value)
    };
    let constant = of(&|fact| fact.constant);
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
    let size_of = |n: Option<u64>| n.map(|n| n as f64);
    let value = match op {
        Op::Nrow => size_of(args[0].ty.rows.known()),
        Op::Ncol => size_of(args[0].ty.cols.known()),
        Op::Length => args[0].ty.cells(),
        _ => of(&|fact| fact.value),
    };
    let size = args
        .iter()
        .fold(1_u32, |sum, fact| sum.saturating_add(fact.size));
    Some(Fact {
        ty,
        value,
        constant,
        size,
    })
}

/// What a number is.
#[must_use]
pub fn fact_of_number(value: f64) -> Fact {
    Fact {
        ty: Type {
            sparsity: Some(if value == 0.0 { 0.0 } else { 1.0 }),
            ..Type::scalar()
        },
        value: Some(value),
        constant: Some(value),
        size: 1,
    }
}

/// Whether one argument of a product is the other transposed.
#[must_use]
pub fn is_gram(graph: &LaGraph, op: Op, args: &[Id]) -> bool {
    let turned = |id: Id, of: Id| {
        graph[id].nodes.iter().any(|node| match node {
            La::Op(Op::Transpose, inner) => graph.find(inner[0]) == graph.find(of),
            _ => false,
        })
    };
    op == Op::MatMul && (turned(args[0], args[1]) || turned(args[1], args[0]))
}

/// Whether two types have the same, known shape.
#[must_use]
pub fn same_shape(a: &Type, b: &Type) -> bool {
    let known = |ty: &Type| ty.rows != sumac_la::Dim::Unknown && ty.cols != sumac_la::Dim::Unknown;
    known(a) && (a.kind, &a.rows, &a.cols) == (b.kind, &b.rows, &b.cols)
}

impl Analysis<La> for Facts {
    type Data = Fact;

    fn make(graph: &mut LaGraph, node: &La, _: Id) -> Fact {
        match node {
            La::Input(number) => Fact {
                ty: graph.analysis.inputs[*number as usize].clone(),
                value: None,
                constant: None,
                size: 1,
            },
            La::Num(bits) => fact_of_number(f64::from_bits(*bits)),
            La::Op(op, children) => {
                let gram = is_gram(graph, *op, children);
                let args: SmallVec<[&Fact; 6]> = children.iter().map(|c| &graph[*c].data).collect();
                // Only what fits is ever added; what no longer fits after a merge is caught there.
                fact_of(*op, &args, gram).unwrap_or_else(|| Fact {
                    ty: Type::unknown_matrix(),
                    value: None,
                    constant: None,
                    size: u32::MAX,
                })
            }
        }
    }

    fn merge(&mut self, a: &mut Fact, b: Fact) -> DidMerge {
        let before = a.clone();
        let (rows, cols) = (a.ty.rows.meet(&b.ty.rows), a.ty.cols.meet(&b.ty.cols));
        match (rows, cols) {
            (Some(rows), Some(cols)) if a.ty.kind == b.ty.kind => {
                a.ty.rows = rows;
                a.ty.cols = cols;
            }
            _ => self.broken = true,
        }
        a.ty.sparsity = match (a.ty.sparsity, b.ty.sparsity) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        };
        a.ty.limits = a.ty.limits.meet(b.ty.limits);
        a.value = a.value.or(b.value);
        a.constant = a.constant.or(b.constant);
        a.size = a.size.min(b.size);
        DidMerge(*a != before, *a != b)
    }

    fn modify(graph: &mut LaGraph, id: Id) {
        let data = &graph[id].data;
        let Some(value) = data.constant.filter(|_| data.ty.kind == Kind::Scalar) else {
            return;
        };
        let number = graph.add(La::num(value));
        graph.union(id, number);
    }
}
