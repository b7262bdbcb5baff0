//! Statements: assignments, parts of matrices that are overwritten, loops, branches and calls of functions.

use super::*;

impl Generator {
    /// A statement that has been tried where it stands; `depth` blocks may stand in each other.
    pub(super) fn statement(&mut self, depth: usize) -> Option<Stmt> {
        for _ in 0..TRIES {
            let kind = self.rng.random_range(0..18);
            let made = match kind {
                16 if depth > 0 => self.by_rows(depth),
                17 => self.accumulated(),
                0 if depth > 0 => self.branch(depth),
                1 if depth > 0 => self.repeated(depth),
                2 if depth > 0 => self.called(depth),
                3 => self.patch(),
                _ => self.assignment(),
            };
            if let Some(made) = made {
                let mut env = self.env.clone();
                if self
                    .script
                    .exec(std::slice::from_ref(&made), &mut env, &mut 0)
                    .is_some()
                {
                    return Some(made);
                }
            }
        }
        None
    }

    fn assignment(&mut self) -> Option<Stmt> {
        let depth = self.rng.random_range(0..4);
        let (expr, val) = self.grow(depth)?;
        let name = match self.variable(|old| old.is_scalar == val.is_scalar) {
            Some((old, _)) if self.one_in(4) => old,
            _ => self.name(),
        };
        Some(Stmt::Assign(name, expr))
    }

    fn accumulated(&mut self) -> Option<Stmt> {
        let (name, val) = self.variable(|_| true)?;
        let (value, _) = match val.is_scalar {
            true => self.number(1),
            false => self.matrix(Some(val.rows), Some(val.cols), 1),
        };
        Some(Stmt::Add(name, value))
    }

    /// A loop that fills the rows of a matrix, one after the other or side by side.
    fn by_rows(&mut self, depth: usize) -> Option<Stmt> {
        let (to, val) = self.variable(|val| !val.is_scalar && !val.cells.is_empty())?;
        let (from, other) = self.variable(|other| !other.is_scalar && other.rows >= val.rows)?;
        let at = self.name();
        let row = Expr::Row(from.clone(), at.clone());
        self.env.insert(at.clone(), Val::number(1.0));
        let of_row = row.eval(&self.env).map(|val| (row, val));
        let value = of_row.and_then(|row| {
            let depth = self.rng.random_range(0..=depth);
            match (other.cols == val.cols, self.rng.random_range(0..3)) {
                (true, 0) => Some(row.0),
                (true, 1) => Some(self.cellwise(row, depth)?.0),
                _ => {
                    let factor = self.matrix(Some(other.cols), Some(val.cols), depth);
                    Some(self.node(&|x| infix("%*%", x), vec![row, factor])?.0)
                }
            }
        });
        self.env.remove(&at);
        // What is written must not be read by another iteration.
        let is_apart = from != to && !value.as_ref()?.text().contains(&to);
        let body = vec![Stmt::PatchRow(to, at.clone(), value?)];
        Some(match is_apart && self.rng.random_bool(0.5) {
            true => Stmt::ParFor(at, val.rows, body),
            false => Stmt::For(at, val.rows, body),
        })
    }

    fn patch(&mut self) -> Option<Stmt> {
        let (name, val) = self.variable(|val| !val.is_scalar && !val.cells.is_empty())?;
        let range = self.range(&val);
        let [from, to, left, right] = range;
        let (value, _) = match self.one_in(4) {
            true => self.number(1),
            false => self.matrix(Some(to - from + 1), Some(right - left + 1), 1),
        };
        Some(Stmt::Patch(name, range, value))
    }

    /// Some statements that work one after the other from here, which leave no trace.
    pub(super) fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let before = self.env.clone();
        let mut body = Vec::new();
        for _ in 0..self.rng.random_range(1..4) {
            let Some(statement) = self.statement(depth - 1) else {
                continue;
            };
            let mut env = self.env.clone();
            if self
                .script
                .exec(std::slice::from_ref(&statement), &mut env, &mut 0)
                .is_some()
            {
                self.env = env;
                body.push(statement);
            }
        }
        self.env = before;
        body
    }

    fn branch(&mut self, depth: usize) -> Option<Stmt> {
        let number = self.number(2);
        let against = self.number(0);
        let op = *["<", ">", "==", "!=", ">="].choose(&mut self.rng)?;
        let (test, val) = self.node(&|x| infix(op, x), vec![number, against])?;
        val.is_exact().then_some(())?;
        let yes = self.block(depth);
        let no = if self.one_in(3) {
            Vec::new()
        } else {
            self.block(depth)
        };
        Some(Stmt::If(test, yes, no))
    }

    fn repeated(&mut self, depth: usize) -> Option<Stmt> {
        let name = self.name();
        let count = self.rng.random_range(1..=3);
        let before = self.env.insert(name.clone(), Val::number(1.0));
        let body = self.block(depth);
        self.env.remove(&name);
        debug_assert!(before.is_none(), "names are new");
        // A body must leave its counter alone.
        if body.is_empty() || assigns(&body, &name) {
            return None;
        }
        Some(match self.one_in(3) {
            true => Stmt::While(name, count, body),
            false => Stmt::For(name, count, body),
        })
    }

    /// A call of a new function, or of one whose arguments have the same shapes.
    fn called(&mut self, depth: usize) -> Option<Stmt> {
        let shape_of = |val: &Val| (val.is_scalar, val.rows, val.cols);
        if let Some(number) = (0..self.shapes.len())
            .collect::<Vec<_>>()
            .choose(&mut self.rng)
            && self.rng.random_bool(0.5)
        {
            let mut args = Vec::new();
            for shape in self.shapes[*number].clone() {
                args.push(self.variable(|val| shape_of(val) == shape)?.0);
            }
            let results = self.script.functions[*number].results.len();
            let outs = (0..results).map(|_| self.name()).collect();
            return Some(Stmt::Call(*number, args, outs));
        }
        let mut own = Env::new();
        let (mut parameters, mut shapes, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.rng.random_range(1..=3) {
            let (arg, val) = self.variable(|_| true)?;
            let name = self.name();
            parameters.push((name.clone(), val.is_scalar));
            shapes.push(shape_of(&val));
            args.push(arg);
            own.insert(name, val);
        }
        let outer = std::mem::replace(&mut self.env, own);
        let body = self.block(depth);
        let mut inner = self.env.clone();
        let works = self.script.exec(&body, &mut inner, &mut 0);
        self.env = outer;
        works?;
        let made: Vec<(String, bool)> = inner
            .iter()
            .filter(|(name, _)| parameters.iter().all(|(known, _)| known != *name))
            .map(|(name, val)| (name.clone(), val.is_scalar))
            .collect();
        let count = self.rng.random_range(1..=2).min(made.len());
        let results: Vec<(String, bool)> = made.sample(&mut self.rng, count).cloned().collect();
        if results.is_empty() {
            return None;
        }
        let outs = results.iter().map(|_| self.name()).collect();
        self.script.functions.push(Function {
            parameters,
            results,
            body,
        });
        self.shapes.push(shapes);
        Some(Stmt::Call(self.script.functions.len() - 1, args, outs))
    }
}
