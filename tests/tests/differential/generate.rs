//! Random scripts that work, built together with the values that they have.

mod statements;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::script::{Env, Expr, Function, Script, Stmt};
use super::value::Val;

/// An expression and its value.
type Known = (Expr, Val);

/// Attempts for a statement.
const TRIES: usize = 30;

struct Generator {
    rng: ChaCha8Rng,
    script: Script,
    /// By function: the shapes of its arguments.
    shapes: Vec<Vec<(bool, usize, usize)>>,
    env: Env,
    /// Sizes that matrices have.
    sizes: Vec<usize>,
    /// Cells of a matrix at most.
    most_cells: usize,
    names: usize,
}

/// The script of a seed. One in `SMALL` has matrices that several threads share.
pub(crate) fn script(seed: u64) -> Script {
    const SMALL: u64 = 60;
    const USUAL: [usize; 12] = [1, 1, 2, 2, 3, 4, 5, 6, 8, 9, 17, 21];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let is_large = seed % SMALL == SMALL - 1;
    let sizes = if is_large {
        vec![1, 3, 40, 300]
    } else {
        let count = rng.random_range(2..=4);
        let mut sizes: Vec<usize> = USUAL.sample(&mut rng, count).copied().collect();
        match rng.random_range(0..12) {
            0 => sizes.push(0),
            1 => sizes.push(70),
            _ => sizes.push(1),
        }
        sizes
    };
    let mut generator = Generator {
        rng,
        script: Script::default(),
        shapes: Vec::new(),
        env: Env::new(),
        sizes,
        most_cells: if is_large { 100_000 } else { 5000 },
        names: 0,
    };
    for _ in 0..generator.rng.random_range(3..8) {
        let (rows, cols) = (generator.size(), generator.size());
        let input = generator.input(rows, cols);
        let name = generator.name();
        generator.add(Stmt::Assign(name, input));
    }
    let number = generator.small_number();
    let name = generator.name();
    generator.add(Stmt::Assign(name, Expr::Num(number)));
    let most = if is_large { 6 } else { 14 };
    for _ in 0..generator.rng.random_range(3..most) {
        if let Some(statement) = generator.statement(2) {
            generator.add(statement);
        }
    }
    generator.script
}

impl Generator {
    fn one_in(&mut self, n: u32) -> bool {
        self.rng.random_ratio(1, n)
    }

    fn size(&mut self) -> usize {
        *self.sizes.choose(&mut self.rng).expect("some sizes")
    }

    fn small_number(&mut self) -> f64 {
        f64::from(self.rng.random_range(-8..=8)) / 4.0
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// Adds a statement if it works, with what it changes.
    fn add(&mut self, statement: Stmt) -> bool {
        let mut env = self.env.clone();
        let works = self
            .script
            .exec(std::slice::from_ref(&statement), &mut env, &mut 0)
            .is_some();
        if works {
            self.env = env;
            self.script.statements.push(statement);
        }
        works
    }

    /// A new matrix: dense, sparse, of few distinct numbers, of one, or of zeros.
    fn input(&mut self, rows: usize, cols: usize) -> Expr {
        let kind = self.rng.random_range(0..10);
        if kind == 0 {
            return Expr::Fill(self.small_number(), rows, cols);
        }
        if rows * cols > 400 {
            return Expr::Pattern {
                rows,
                cols,
                times: [1, 7, 7919, 104_729][self.rng.random_range(0..4)],
                modulus: [2, 5, 17, 31][self.rng.random_range(0..4)],
                shift: self.rng.random_range(0..9),
                keep: [1, 1, 3, 11, 97][self.rng.random_range(0..5)],
            };
        }
        let cells = (0..rows * cols).map(|_| {
            let x = self.small_number();
            match kind {
                1 => 0.0,
                2 | 3 if !self.one_in(8) => 0.0,
                4 => f64::from(u8::from(x > 0.0)),
                5 => x.trunc(),
                6 => x.abs() + 0.25,
                _ => x,
            }
        });
        Expr::Cells(rows, cols, cells.collect())
    }

    /// A variable for which something holds.
    fn variable(&mut self, holds: impl Fn(&Val) -> bool) -> Option<(String, Val)> {
        let all: Vec<(&String, &Val)> = self.env.iter().filter(|(_, val)| holds(val)).collect();
        // What came last more often: expressions build on each other.
        let from = if self.rng.random_bool(0.4) {
            all.len().saturating_sub(3)
        } else {
            0
        };
        let (name, val) = all[from..].choose(&mut self.rng)?;
        Some(((*name).clone(), (*val).clone()))
    }

    /// A matrix of this size, where one is wanted: a variable, one that is transposed, something computed, or a new one.
    fn matrix(&mut self, rows: Option<usize>, cols: Option<usize>, depth: usize) -> Known {
        let fits = |val: &Val, rows: Option<usize>, cols: Option<usize>| {
            !val.is_scalar
                && rows.is_none_or(|rows| rows == val.rows)
                && cols.is_none_or(|cols| cols == val.cols)
        };
        if depth > 0 && self.rng.random_bool(0.5) {
            for _ in 0..3 {
                let Some((expr, val)) = self.grow(depth - 1) else {
                    continue;
                };
                if fits(&val, rows, cols) {
                    return (expr, val);
                }
                if fits(&val, cols, rows)
                    && let Some(turned) = self.node(&|x| call("t", x), vec![(expr, val)])
                {
                    return turned;
                }
            }
        }
        let is_turned_first = self.rng.random_bool(0.5);
        for is_turned in [is_turned_first, !is_turned_first] {
            let (rows, cols) = if is_turned {
                (cols, rows)
            } else {
                (rows, cols)
            };
            let Some((name, val)) = self.variable(|val| fits(val, rows, cols)) else {
                continue;
            };
            let known = (Expr::Var(name), val);
            if !is_turned {
                return known;
            }
            if let Some(turned) = self.node(&|x| call("t", x), vec![known]) {
                return turned;
            }
        }
        let rows = rows.unwrap_or_else(|| self.size());
        let cols = cols.unwrap_or_else(|| self.size());
        let input = self.input(rows, cols);
        let val = input.eval(&self.env).expect("inputs have values");
        (input, val)
    }

    /// What `build` makes of some expressions, if its value is worth having.
    fn node(&self, build: &dyn Fn(Vec<Expr>) -> Expr, parts: Vec<Known>) -> Option<Known> {
        let mut env = Env::new();
        let mut exprs = Vec::new();
        let mut places = Vec::new();
        for (i, (expr, val)) in parts.into_iter().enumerate() {
            let place = format!("#{i}");
            env.insert(place.clone(), val);
            places.push(Expr::Var(place));
            exprs.push(expr);
        }
        let val = build(places).eval(&env)?;
        (val.cells.len() <= self.most_cells).then(|| (build(exprs), val))
    }

    /// A number: a constant, a variable, the only cell of a matrix, or an aggregate.
    fn number(&mut self, depth: usize) -> Known {
        if let Some((name, val)) = self.variable(|val| val.is_scalar)
            && self.rng.random_bool(0.4)
        {
            return (Expr::Var(name), val);
        }
        if depth > 0 && self.rng.random_bool(0.4) {
            let matrix = self.matrix(None, None, depth - 1);
            let name = match matrix.1.shape() {
                (1, 1) => "as.scalar",
                _ => ["sum", "mean", "min", "max", "nrow", "ncol", "length"]
                    [self.rng.random_range(0..7)],
            };
            if let Some(found) = self.node(&|x| call(name, x), vec![matrix]) {
                return found;
            }
        }
        let x = self.small_number();
        (Expr::Num(x), Val::number(x))
    }

    /// A random expression.
    fn grow(&mut self, depth: usize) -> Option<Known> {
        let a = self.matrix(None, None, depth);
        let (rows, cols) = a.1.shape();
        match self.rng.random_range(0..20) {
            0..=2 => self.node(&|x| call("t", x), vec![a]),
            3..=6 => self.product(a, depth),
            7..=10 => self.cellwise(a, depth),
            11..=13 => {
                const NAMES: [&str; 12] = [
                    "sum", "mean", "min", "max", "rowSums", "colSums", "rowMeans", "colMeans",
                    "rowMaxs", "colMins", "rowMins", "colMaxs",
                ];
                let name = *NAMES.choose(&mut self.rng)?;
                self.node(&|x| call(name, x), vec![a])
            }
            14 | 15 => {
                const NAMES: [&str; 14] = [
                    "-", "!", "abs", "sign", "round", "floor", "ceil", "exp", "sqrt", "log",
                    "sigmoid", "tanh", "sin", "cos",
                ];
                let name = *NAMES.choose(&mut self.rng)?;
                match name {
                    "-" | "!" => self.node(&|x| prefix(name, x), vec![a]),
                    name => self.node(&|x| call(name, x), vec![a]),
                }
            }
            16 if !a.1.cells.is_empty() && self.one_in(4) => {
                let count = rows * cols;
                let to = (1..=count).filter(|n| count % n == 0).collect::<Vec<_>>();
                let to = *to.choose(&mut self.rng)?;
                self.node(
                    &|mut x| Expr::Reshape(Box::new(x.remove(0)), to, count / to),
                    vec![a],
                )
            }
            16 => {
                let name = *["rev", "diag", "trace", "cumsum", "rowIndexMax", "as.matrix"]
                    .choose(&mut self.rng)?;
                self.node(&|x| call(name, x), vec![a])
            }
            17 => {
                let is_beside = self.rng.random_bool(0.5);
                let b = match is_beside {
                    true => self.matrix(Some(rows), None, depth),
                    false => self.matrix(None, Some(cols), depth),
                };
                let name = if is_beside { "cbind" } else { "rbind" };
                let both = if self.rng.random_bool(0.5) {
                    vec![a, b]
                } else {
                    vec![b, a]
                };
                self.node(&|x| call(name, x), both)
            }
            18 => {
                let (name, val) = self.variable(|val| !val.is_scalar && !val.cells.is_empty())?;
                let range = self.range(&val);
                let expr = Expr::Index(name, range);
                let val = expr.eval(&self.env)?;
                Some((expr, val))
            }
            _ => {
                let yes = match self.rng.random_bool(0.5) {
                    true => self.number(0),
                    false => self.matrix(Some(rows), Some(cols), depth),
                };
                let no = match self.rng.random_bool(0.5) {
                    true => self.number(0),
                    false => self.matrix(Some(rows), Some(cols), depth),
                };
                let zero = (Expr::Num(0.0), Val::number(0.0));
                let test = self.node(&|x| infix(">", x), vec![a, zero])?;
                self.node(&|x| call("ifelse", x), vec![test, yes, no])
            }
        }
    }

    /// A product with a matrix on either side.
    fn product(&mut self, a: Known, depth: usize) -> Option<Known> {
        let (rows, cols) = a.1.shape();
        let both = match self.rng.random_range(0..8) {
            0 => {
                let turned = self.node(&|x| call("t", x), vec![a.clone()])?;
                if self.rng.random_bool(0.5) {
                    vec![turned, a]
                } else {
                    vec![a, turned]
                }
            }
            1 => {
                let b = self.matrix(Some(cols), Some(1), depth);
                vec![a, b]
            }
            2 => {
                let b = self.matrix(Some(1), Some(rows), depth);
                vec![b, a]
            }
            3 | 4 => {
                let b = self.matrix(None, Some(rows), depth);
                vec![b, a]
            }
            _ => {
                let b = self.matrix(Some(cols), None, depth);
                vec![a, b]
            }
        };
        self.node(&|x| infix("%*%", x), both)
    }

    /// A cellwise operator with a matrix of the same size, a row, a column or a number.
    fn cellwise(&mut self, a: Known, depth: usize) -> Option<Known> {
        const OPS: [&str; 20] = [
            "+", "-", "*", "*", "*", "/", "+", "-", "min", "max", "==", "!=", "<", "<=", ">", ">=",
            "&", "|", "%%", "%/%",
        ];
        let (rows, cols) = a.1.shape();
        let op = if self.one_in(8) {
            "^"
        } else {
            OPS.choose(&mut self.rng)?
        };
        if op == "^" {
            let exponent = f64::from(self.rng.random_range(1..=3));
            return self.node(
                &|x| infix("^", x),
                vec![a, (Expr::Num(exponent), Val::number(exponent))],
            );
        }
        let b = match self.rng.random_range(0..8) {
            0 | 1 => self.number(depth),
            2 if rows > 1 && cols > 1 => self.matrix(Some(1), Some(cols), depth),
            3 if rows > 1 && cols > 1 => self.matrix(Some(rows), Some(1), depth),
            _ => self.matrix(Some(rows), Some(cols), depth),
        };
        let both = if b.1.is_scalar && self.rng.random_bool(0.3) {
            vec![b, a]
        } else {
            vec![a, b]
        };
        match op {
            "min" | "max" => self.node(&|x| call(op, x), both),
            op => self.node(&|x| infix(op, x), both),
        }
    }

    /// A part of a matrix that has cells.
    fn range(&mut self, val: &Val) -> [usize; 4] {
        let mut part = |size: usize| {
            let kind = self.rng.random_range(0..4);
            let to = self.rng.random_range(1..=size);
            let from = self.rng.random_range(1..=to);
            match kind {
                0 => (1, size),
                1 => (to, to),
                _ => (from, to),
            }
        };
        let ((from, to), (left, right)) = (part(val.rows), part(val.cols));
        [from, to, left, right]
    }
}

fn assigns(body: &[Stmt], name: &str) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Assign(own, _)
        | Stmt::Add(own, _)
        | Stmt::Patch(own, ..)
        | Stmt::PatchRow(own, ..) => own == name,
        Stmt::If(_, yes, no) => assigns(yes, name) || assigns(no, name),
        Stmt::For(own, _, body) | Stmt::ParFor(own, _, body) | Stmt::While(own, _, body) => {
            own == name || assigns(body, name)
        }
        Stmt::Call(_, _, outs) => outs.iter().any(|out| out == name),
    })
}

fn call(name: &'static str, args: Vec<Expr>) -> Expr {
    Expr::Call(name, args)
}

fn prefix(op: &'static str, mut args: Vec<Expr>) -> Expr {
    Expr::Prefix(op, Box::new(args.remove(0)))
}

fn infix(op: &'static str, mut args: Vec<Expr>) -> Expr {
    let right = args.remove(1);
    Expr::Infix(op, Box::new(args.remove(0)), Box::new(right))
}
