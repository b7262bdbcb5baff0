//! Trees and forms for tests: by hand, and at random from a seed.
#![allow(dead_code, missing_docs, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::{Dag, Dim, Node, NodeId, Op, Type};
use sumac_python::{Atom, DType, Step, Style, Tree, Value, infer};

pub fn style() -> Style {
    Style {
        numpy: Some("np".into()),
        product: sumac_python::Product::Sign,
        sums_by_function: false,
        axis_without_name: false,
    }
}

pub fn dim(name: &str) -> Dim {
    name.parse()
        .map_or_else(|_| Dim::Named(name.into()), Dim::Known)
}

pub fn atom(text: &str, shape: &[&str]) -> Tree {
    typed(text, shape, DType::Float64)
}

pub fn typed(text: &str, shape: &[&str], dtype: DType) -> Tree {
    let shape = shape.iter().map(|name| dim(name)).collect();
    Tree {
        step: Step::Atom(Atom {
            text: text.into(),
            is_pure: true,
        }),
        args: Vec::new(),
        value: Value::array(shape, dtype),
    }
}

pub fn step(step: Step, args: impl IntoIterator<Item = Tree>) -> Tree {
    try_step(step, args.into_iter().collect()).expect("it has a value")
}

pub fn try_step(step: Step, args: Vec<Tree>) -> Option<Tree> {
    let values: Vec<&Value> = args.iter().map(|arg| &arg.value).collect();
    let found = infer(&step, &values).ok()?;
    found.equal.is_empty().then_some(Tree {
        step,
        args,
        value: found.value,
    })
}

/// The leaves that everything is made of: arrays of different sizes, so that a wrong axis is seen.
pub fn leaves() -> Vec<Tree> {
    let mut leaves = vec![
        atom("X", &["n", "d"]),
        atom("Y", &["n", "d"]),
        atom("A", &["n", "n"]),
        atom("B", &["n", "n"]),
        atom("C", &["d", "d"]),
        atom("H", &["k", "n"]),
        atom("w", &["n"]),
        atom("u", &["n"]),
        atom("v", &["d"]),
        atom("q", &["k"]),
        atom("c", &["n", "1"]),
        atom("r", &["1", "d"]),
        atom("s", &[]),
    ];
    for name in ["n", "d"] {
        leaves.push(step(Step::Size(name.into()), []));
    }
    for (value, is_int) in [(2.0, true), (0.5, false), (3.0, true), (-1.0, true)] {
        leaves.push(step(Step::Number { value, is_int }, []));
    }
    leaves
}

pub fn atoms() -> BTreeMap<Arc<str>, Tree> {
    let named = leaves().into_iter().filter_map(|leaf| match &leaf.step {
        Step::Atom(atom) => Some((Arc::clone(&atom.text), leaf)),
        Step::Size(text) => Some((Arc::clone(text), leaf)),
        _ => None,
    });
    named.collect()
}

/// Numbers at random.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 40).unwrap_or(0) % most
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

fn size(tree: &Tree) -> usize {
    tree.nodes().count()
}

/// A tree at random, of at most so many nodes.
pub fn tree(random: &mut Random, most: usize) -> Tree {
    tree_of(leaves(), random, most)
}

/// The leaves with other kinds of numbers; their names say which.
pub fn mixed(random: &mut Random) -> Vec<Tree> {
    let kinds = [
        (DType::Bool, "b"),
        (DType::Int, "i"),
        (DType::Float32, "f"),
        (DType::Float64, ""),
        (DType::Complex, "z"),
    ];
    let mut leaves = leaves();
    for leaf in &mut leaves {
        let (dtype, name) = *random.pick(&kinds);
        if let Step::Atom(atom) = &mut leaf.step {
            atom.text = format!("{}{name}", atom.text).into();
            leaf.value.dtype = dtype;
        }
    }
    leaves
}

/// A tree at random over some leaves.
pub fn tree_of(mut pool: Vec<Tree>, random: &mut Random, most: usize) -> Tree {
    let fixed = pool.len();
    for _ in 0..400 {
        let step = any_step(random);
        let count = match step {
            Step::MatMul | Step::Cell(_) | Step::Outer | Step::Vdot => 2,
            _ => 1,
        };
        // What was made last is taken more often, so that trees grow.
        let mut args = Vec::new();
        for _ in 0..count {
            let at = if pool.len() > fixed && random.below(3) > 0 {
                fixed + random.below(pool.len() - fixed)
            } else {
                random.below(fixed)
            };
            args.push(pool[at].clone());
        }
        if matches!(step, Step::AsVector) && args[0].value.rank() < 2 {
            continue;
        }
        let Some(made) = try_step(step, args) else {
            continue;
        };
        if made.value.is_weak || size(&made) > most {
            continue;
        }
        pool.push(made);
    }
    pool.pop().expect("there are leaves")
}

fn any_step(random: &mut Random) -> Step {
    let axis = *random.pick(&[None, Some(0), Some(1)]);
    let reduce = |by: Op, keepdims: bool| Step::Reduce { by, axis, keepdims };
    let maps = [Op::Neg, Op::Exp, Op::Sqrt, Op::Abs, Op::Tanh];
    let cells = [Op::Add, Op::Sub, Op::Mul, Op::Mul, Op::Div];
    match random.below(22) {
        0..=4 => Step::MatMul,
        5..=9 => Step::Cell(*random.pick(&cells)),
        10 => Step::Map(*random.pick(&maps)),
        11 => Step::Square,
        12 | 13 => Step::Transpose,
        14 => Step::Diag,
        15 => Step::Trace,
        16 => reduce(Op::Sum, random.below(2) == 0),
        17 => reduce(
            *random.pick(&[Op::Mean, Op::Min, Op::Max]),
            random.below(2) == 0,
        ),
        18 => Step::Outer,
        19 => random.pick(&[Step::Vdot, Step::Norm]).clone(),
        20 => random.pick(&[Step::AsColumn, Step::AsRow]).clone(),
        _ => Step::AsVector,
    }
}

/// A form at random over the leaves, as a search could give it.
pub fn form(random: &mut Random, most: usize) -> Dag {
    let mut dag = Dag::default();
    let mut pool: Vec<NodeId> = Vec::new();
    for leaf in leaves() {
        let ty = match leaf.value.shape.as_slice() {
            [] => Type::scalar(),
            [n] => Type::matrix(n.clone(), 1),
            [n, m, ..] => Type::matrix(n.clone(), m.clone()),
        };
        match &leaf.step {
            Step::Atom(atom) => pool.push(dag.input(&atom.text, ty)),
            Step::Size(text) => {
                let size = Dim::Named(Arc::clone(text).into());
                pool.push(dag.input(text, Type { size, ..ty }));
            }
            Step::Number { value, .. } => pool.push(dag.num(*value)),
            _ => {}
        }
    }
    let one = dag.num(1.0);
    for name in ["w", "r", "X"] {
        let of = dag.input(name, Type::unknown_matrix());
        for op in [Op::Nrow, Op::Ncol] {
            let size = dag.op(op, [of]).expect("a matrix has sizes");
            let ones = [[one, size, one], [one, one, size]];
            pool.extend(ones.map(|args| dag.op(Op::Fill, args).expect("sizes fit")));
            pool.push(size);
        }
    }
    let fixed = pool.len();
    let one_arg = [
        Op::Neg,
        Op::Exp,
        Op::Sqrt,
        Op::Abs,
        Op::Sigmoid,
        Op::Transpose,
        Op::Transpose,
        Op::Diag,
        Op::Sum,
        Op::RowSums,
        Op::ColSums,
        Op::Mean,
        Op::RowMeans,
        Op::ColMeans,
        Op::Min,
        Op::RowMaxs,
        Op::Trace,
        Op::AsScalar,
        Op::AsMatrix,
    ];
    let two_args = [
        Op::MatMul,
        Op::MatMul,
        Op::MatMul,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Mul,
        Op::Div,
    ];
    let mut last = pool[0];
    for _ in 0..300 {
        let mut arg = || {
            let at = if pool.len() > fixed && random.below(3) > 0 {
                fixed + random.below(pool.len() - fixed)
            } else {
                random.below(fixed)
            };
            pool[at]
        };
        let (a, b) = (arg(), arg());
        let (op, args) = if random.below(2) == 0 {
            (*random.pick(&one_arg), vec![a])
        } else {
            (*random.pick(&two_args), vec![a, b])
        };
        let two_names = |x: &Dim, y: &Dim| x != y && !x.is_one() && !y.is_one();
        let (x, y) = (dag.ty(a).clone(), dag.ty(b).clone());
        let is_exact = match op {
            Op::MatMul => x.cols == y.rows,
            Op::Diag => x.cols.is_one() || (x.rows == x.cols),
            Op::Trace => x.rows == x.cols,
            Op::AsScalar => x.rows.is_one() && x.cols.is_one(),
            Op::AsMatrix => false,
            _ if args.len() == 2 => {
                // Of the column beside the row numbers alone would be known.
                let is_spread = (x.rows.is_one()
                    && !x.cols.is_one()
                    && y.cols.is_one()
                    && !y.is_scalar())
                    || (y.rows.is_one() && !y.cols.is_one() && x.cols.is_one() && !x.is_scalar());
                !two_names(&x.rows, &y.rows) && !two_names(&x.cols, &y.cols) && !is_spread
            }
            _ => true,
        };
        if !is_exact {
            continue;
        }
        let Ok(made) = dag.op(op, args) else { continue };
        if dag.text_nodes(made) <= most {
            pool.push(made);
            last = made;
        }
    }
    dag.push_root(last);
    dag
}

/// What the root of a form is as a value of NumPy.
pub fn wanted(form: &Dag) -> Value {
    let ty = form.ty(form.roots()[0]);
    let shape = match (ty.is_scalar(), ty.cols.is_one()) {
        (true, _) => Vec::new(),
        (false, true) => vec![ty.rows.clone()],
        (false, false) => vec![ty.rows.clone(), ty.cols.clone()],
    };
    Value::array(shape, DType::Float64)
}

/// A form in Python over functions that are called as its operators are.
pub fn in_python(form: &Dag, id: NodeId) -> String {
    match form.node(id) {
        Node::Input(_) => {
            let name = &form.input_of(id).expect("it is an input").name;
            format!("L['{name}']")
        }
        Node::Num(bits) => format!("{:?}", f64::from_bits(*bits)),
        Node::Op(op, args) => {
            let args: Vec<String> = args.iter().map(|arg| in_python(form, *arg)).collect();
            format!("la_{op:?}({})", args.join(", "))
        }
    }
}

/// A form from its text: `MatMul(Transpose(X), Mul(w, X))`.
pub fn parsed(text: &str) -> Dag {
    let mut dag = Dag::default();
    let mut rest = text;
    let root = parse(&mut dag, &mut rest);
    assert!(rest.is_empty(), "{text}");
    dag.push_root(root);
    dag
}

fn parse(dag: &mut Dag, rest: &mut &str) -> NodeId {
    let end = rest.find(['(', ')', ',']).unwrap_or(rest.len());
    let word = rest[..end].trim();
    *rest = &rest[end..];
    let Some(inside) = rest.strip_prefix('(') else {
        if let Ok(number) = word.parse() {
            return dag.num(number);
        }
        let leaf = atoms().remove(word).unwrap_or_else(|| panic!("{word}"));
        let mut ty = match leaf.value.shape.as_slice() {
            [] => Type::scalar(),
            [n] => Type::matrix(n.clone(), 1),
            [n, m, ..] => Type::matrix(n.clone(), m.clone()),
        };
        if matches!(leaf.step, Step::Size(_)) {
            ty.size = Dim::Named(word.into());
        }
        return dag.input(word, ty);
    };
    *rest = inside;
    let mut args = Vec::new();
    while !rest.starts_with(')') {
        args.push(parse(dag, rest));
        *rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    *rest = &rest[1..];
    let op = Op::ALL.iter().find(|op| format!("{op:?}") == word);
    dag.op(*op.expect("an operator"), args).expect("sizes fit")
}
