//! What operators and functions give, from their definitions alone: loops over all cells, in the order in which a book writes them.
//!
//! Nothing of the product is called here. `None` says that a result is not worth comparing: not finite, too large, rounded so much
//! that nothing follows, or next to a jump.

use super::value::Val;

/// `op` of two values, cell by cell, where the second may be a number, a row or a column; a first one that is a row or a column of a
/// larger result is refused, but for a column before a row and a single cell.
pub(crate) fn binary(op: &str, a: &Val, b: &Val) -> Option<Val> {
    if op == "%*%" {
        return product(a, b);
    }
    let (rows, cols) = (a.rows.max(b.rows), a.cols.max(b.cols));
    let (rows, cols) = match (a.is_scalar, b.is_scalar) {
        (true, false) => b.shape(),
        (false, true) => a.shape(),
        _ => (rows, cols),
    };
    let fits =
        |x: &Val| x.is_scalar || (x.rows == rows || x.rows == 1) && (x.cols == cols || x.cols == 1);
    let is_first_whole = a.is_scalar || a.shape() == (rows, cols);
    let is_table = a.cols == 1 && b.rows == 1;
    let is_cell = a.shape() == (1, 1);
    if !fits(a) || !fits(b) || !(is_first_whole || is_table || is_cell) {
        return None;
    }
    let read = |x: &Val, i: usize, j: usize| {
        let row = if x.rows == 1 { 0 } else { i };
        let col = if x.cols == 1 { 0 } else { j };
        x.at(row, col)
    };
    let mut cells = Vec::with_capacity(rows * cols);
    for i in 0..rows {
        for j in 0..cols {
            cells.push(of_two(op, read(a, i, j), read(b, i, j)));
        }
    }
    let (most_a, most_b) = (a.most(), b.most());
    let both = |f: fn(i32, i32) -> i32| Some(f(a.grid?, b.grid?));
    let jumps = matches!(
        op,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "&" | "|" | "%%" | "%/%"
    );
    if jumps && !(a.is_exact() && b.is_exact()) {
        return None;
    }
    let error = a.error + b.error;
    let made = |grid: Option<i32>, magnitude: f64, error: f64| {
        Val::result((rows, cols), cells.clone(), grid, magnitude, (error, 1))
    };
    let mut found = match op {
        "+" | "-" => made(both(i32::max), most_a + most_b, error),
        "*" => {
            let error = a.error * most_b + b.error * most_a + a.error * b.error;
            made(both(|x, y| x + y), most_a * most_b, error)
        }
        "/" => {
            let least = b.least() - b.error;
            if least <= 1e-6 * (1.0 + most_b) {
                return None;
            }
            let most = most_a / least;
            let is_half = b.is_exact() && b.cells.iter().all(|y| y.abs().log2().fract() == 0.0);
            // A power of two moves the point.
            let grid = a
                .grid
                .filter(|_| is_half)
                .map(|grid| grid + most_b.log2().max(0.0) as i32);
            made(grid, most, (a.error + most * b.error) / least)
        }
        "^" => {
            let [y] = b.cells[..] else { return None };
            match y {
                1.0 => made(a.grid, most_a, error),
                2.0 => made(
                    a.grid.map(|grid| 2 * grid),
                    most_a * most_a,
                    2.0 * most_a * a.error + a.error * a.error,
                ),
                3.0 => made(
                    a.grid.map(|grid| 3 * grid),
                    most_a * most_a * most_a,
                    3.0 * (most_a + a.error) * (most_a + a.error) * a.error,
                ),
                _ => return None,
            }
        }
        "min" | "max" => made(both(i32::max), most_a.max(most_b), error),
        "%%" => {
            // Of a quotient that is rounded nothing is known.
            let are_whole = a.grid == Some(0) && b.grid == Some(0) && b.least() >= 1.0;
            if !are_whole {
                return None;
            }
            made(Some(0), most_a, 0.0)
        }
        "%/%" => {
            let are_whole = a.grid == Some(0) && b.grid == Some(0) && b.least() >= 1.0;
            if !are_whole {
                return None;
            }
            made(Some(0), most_a, 0.0)
        }
        _ => made(Some(0), 1.0, 0.0),
    }?;
    found.is_scalar = a.is_scalar && b.is_scalar;
    Some(found)
}

fn of_two(op: &str, a: f64, b: f64) -> f64 {
    let truth = |yes: bool| if yes { 1.0 } else { 0.0 };
    match op {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "^" => match b {
            1.0 => a,
            2.0 => a * a,
            3.0 => a * a * a,
            _ => f64::NAN,
        },
        "min" => {
            if a < b {
                a
            } else {
                b
            }
        }
        "max" => {
            if a > b {
                a
            } else {
                b
            }
        }
        "%%" => a - (a / b).trunc() * b,
        "%/%" => (a / b).trunc(),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "&" => truth(a != 0.0 && b != 0.0),
        "|" => truth(a != 0.0 || b != 0.0),
        _ => f64::NAN,
    }
}

/// Rows times columns.
fn product(a: &Val, b: &Val) -> Option<Val> {
    if a.is_scalar || b.is_scalar || a.cols != b.rows {
        return None;
    }
    let (m, k, n) = (a.rows, a.cols, b.cols);
    let mut cells = vec![0.0; m * n];
    let mut magnitude: f64 = 0.0;
    for i in 0..m {
        for j in 0..n {
            let (mut sum, mut size) = (0.0, 0.0);
            for l in 0..k {
                let x = a.at(i, l) * b.at(l, j);
                sum += x;
                size += x.abs();
            }
            cells[i * n + j] = sum;
            magnitude = magnitude.max(size);
        }
    }
    let grid = a.grid.and_then(|x| Some(x + b.grid?));
    let error = k as f64 * (a.error * b.most() + b.error * a.most() + a.error * b.error);
    Val::result((m, n), cells, grid, magnitude, (error, k + 1))
}

/// A function of one value, cell by cell.
pub(crate) fn unary(op: &str, a: &Val) -> Option<Val> {
    let most = a.most();
    let map = |f: &dyn Fn(f64) -> f64| a.cells.iter().map(|x| f(*x)).collect::<Vec<f64>>();
    let made = |cells: Vec<f64>, grid: Option<i32>, magnitude: f64, error: f64| {
        Val::result(a.shape(), cells, grid, magnitude, (error, 2))
    };
    let mut found = match op {
        "-" => made(map(&|x| 0.0 - x), a.grid, most, a.error),
        "abs" => made(map(&f64::abs), a.grid, most, a.error),
        "!" | "sign" | "round" | "floor" | "ceil" if !a.is_exact() => return None,
        "!" => made(
            map(&|x| if x == 0.0 { 1.0 } else { 0.0 }),
            Some(0),
            1.0,
            0.0,
        ),
        "sign" => {
            let sign = |x: f64| match x {
                x if x > 0.0 => 1.0,
                x if x < 0.0 => -1.0,
                _ => 0.0,
            };
            made(map(&sign), Some(0), 1.0, 0.0)
        }
        "round" => made(map(&|x| (x + 0.5).floor()), Some(0), most + 1.0, 0.0),
        "floor" => made(map(&f64::floor), Some(0), most + 1.0, 0.0),
        "ceil" => made(map(&f64::ceil), Some(0), most + 1.0, 0.0),
        "exp" if most < 20.0 => {
            let size = most.exp();
            made(map(&f64::exp), None, size, 2.0 * size * a.error)
        }
        "sqrt" if a.cells.iter().all(|x| *x > 1e-3 + a.error) => {
            made(map(&f64::sqrt), None, most.sqrt(), 20.0 * a.error)
        }
        "log" if a.cells.iter().all(|x| *x > 1e-3 + a.error) => made(
            map(&f64::ln),
            None,
            10.0 + most.ln().abs(),
            1000.0 * a.error,
        ),
        "sigmoid" => made(map(&|x| 1.0 / (1.0 + (-x).exp())), None, 1.0, a.error),
        "tanh" => made(map(&f64::tanh), None, 1.0, a.error),
        "sin" if most < 1e4 => made(map(&f64::sin), None, 1.0, a.error),
        "cos" if most < 1e4 => made(map(&f64::cos), None, 1.0, a.error),
        _ => return None,
    }?;
    found.is_scalar = a.is_scalar;
    Some(found)
}

/// Sums, means and extremes of all cells, of rows or of columns.
pub(crate) fn aggregate(name: &str, a: &Val) -> Option<Val> {
    let (what, by) = match name {
        "sum" | "mean" | "min" | "max" => (name, "all"),
        _ => {
            let by = &name[..3];
            let what = match &name[3..] {
                "Sums" => "sum",
                "Means" => "mean",
                "Mins" => "min",
                _ => "max",
            };
            (what, by)
        }
    };
    // Extremes and means of nothing are questions of their own.
    if what != "sum" && a.cells.is_empty() {
        return None;
    }
    let shape = match by {
        "row" => (a.rows, 1),
        "col" => (1, a.cols),
        _ => (1, 1),
    };
    let mut groups: Vec<Vec<f64>> = vec![Vec::new(); shape.0 * shape.1];
    for i in 0..a.rows {
        for j in 0..a.cols {
            let at = match by {
                "row" => i,
                "col" => j,
                _ => 0,
            };
            groups[at].push(a.at(i, j));
        }
    }
    let count = groups.first().map_or(0, Vec::len);
    let size = groups
        .iter()
        .map(|cells| cells.iter().map(|x| x.abs()).sum::<f64>());
    let size = size.fold(0.0, f64::max);
    let fold = |cells: &Vec<f64>| match what {
        "sum" => cells.iter().fold(0.0, |sum, x| sum + x),
        "mean" => cells.iter().fold(0.0, |sum, x| sum + x) / cells.len() as f64,
        "min" => cells.iter().copied().fold(f64::INFINITY, f64::min),
        _ => cells.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    let cells: Vec<f64> = groups.iter().map(fold).collect();
    let mut found = match what {
        "sum" => Val::result(shape, cells, a.grid, size, (count as f64 * a.error, count)),
        "mean" => {
            let grid = a.grid.filter(|_| count.is_power_of_two());
            let grid = grid.map(|grid| grid + count.trailing_zeros() as i32);
            Val::result(shape, cells, grid, size, (a.error, count))
        }
        _ => Val::result(shape, cells, a.grid, a.most(), (a.error, 1)),
    }?;
    found.is_scalar = by == "all";
    Some(found)
}

/// Functions that move cells, or that say how many there are.
pub(crate) fn moved(name: &str, args: &[Val]) -> Option<Val> {
    let a = args.first()?;
    let by = |rows: usize, cols: usize, from: &dyn Fn(usize, usize) -> f64| {
        let cells = (0..rows * cols).map(|at| from(at / cols.max(1), at % cols.max(1)));
        a.with_cells(rows, cols, cells.collect())
    };
    let joined = |rows: usize, cols: usize, cells: Vec<f64>| {
        let error = args.iter().fold(0.0, |most: f64, x| most.max(x.error));
        let grid = args
            .iter()
            .map(|x| x.grid)
            .try_fold(0, |most, x| Some(most.max(x?)));
        let most = args.iter().fold(0.0, |most: f64, x| most.max(x.most()));
        Val::result((rows, cols), cells, grid, most, (error, 1))
    };
    Some(match (name, args) {
        ("t", _) => by(a.cols, a.rows, &|i, j| a.at(j, i)),
        ("rev", _) => by(a.rows, a.cols, &|i, j| a.at(a.rows - 1 - i, j)),
        ("diag", _) if a.cols == 1 => {
            let mut found = by(a.rows, a.rows, &|i, j| {
                if i == j { a.at(i, 0) } else { 0.0 }
            });
            found.is_scalar = false;
            found
        }
        ("diag", _) if a.rows == a.cols => by(a.rows, 1, &|i, _| a.at(i, i)),
        ("trace", _) if a.rows == a.cols => {
            let cells: Vec<f64> = (0..a.rows).map(|i| a.at(i, i)).collect();
            aggregate("sum", &a.with_cells(a.rows, 1, cells))?
        }
        ("nrow", _) => Val::number(a.rows as f64),
        ("ncol", _) => Val::number(a.cols as f64),
        ("length", _) => Val::number((a.rows * a.cols) as f64),
        ("as.scalar", _) if a.cells.len() == 1 => Val {
            is_scalar: true,
            ..a.clone()
        },
        ("as.matrix", _) => Val {
            is_scalar: false,
            ..a.clone()
        },
        ("cumsum", _) => {
            let mut cells = a.cells.clone();
            let mut size: f64 = 0.0;
            for j in 0..a.cols {
                let (mut sum, mut column) = (0.0, 0.0);
                for i in 0..a.rows {
                    sum += a.at(i, j);
                    column += a.at(i, j).abs();
                    cells[i * a.cols + j] = sum;
                }
                size = size.max(column);
            }
            let error = (a.rows as f64 * a.error, a.rows);
            return Val::result(a.shape(), cells, a.grid, size, error);
        }
        ("cbind", [a, b]) if a.rows == b.rows => {
            let mut cells = Vec::new();
            for i in 0..a.rows {
                cells.extend_from_slice(&a.cells[i * a.cols..(i + 1) * a.cols]);
                cells.extend_from_slice(&b.cells[i * b.cols..(i + 1) * b.cols]);
            }
            return joined(a.rows, a.cols + b.cols, cells);
        }
        ("rbind", [a, b]) if a.cols == b.cols => {
            let cells = [a.cells.as_slice(), &b.cells].concat();
            return joined(a.rows + b.rows, a.cols, cells);
        }
        ("ifelse", [test, yes, no]) => {
            if !test.is_exact() {
                return None;
            }
            let shape = if test.is_scalar { (1, 1) } else { test.shape() };
            let fits = |x: &Val| x.is_scalar || x.shape() == shape;
            if !fits(yes) || !fits(no) {
                return None;
            }
            let read = |x: &Val, at: usize| if x.is_scalar { x.cells[0] } else { x.cells[at] };
            let cells = (0..shape.0 * shape.1).map(|at| {
                let chosen = if read(test, at) != 0.0 { yes } else { no };
                read(chosen, at)
            });
            let mut found = joined(shape.0, shape.1, cells.collect())?;
            found.is_scalar = args.iter().all(|x| x.is_scalar);
            found
        }
        ("outer", [u, v]) if u.cols == 1 && v.rows == 1 => return product(u, v),
        ("rowIndexMax", _) if a.cols > 0 && a.is_exact() => {
            let place = |i: usize| {
                let row = &a.cells[i * a.cols..(i + 1) * a.cols];
                let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let last = row.iter().rposition(|x| *x == most);
                last.map_or(0.0, |at| at as f64 + 1.0)
            };
            Val::exact(a.rows, 1, (0..a.rows).map(place).collect())
        }
        _ => return None,
    })
}

/// `a[from:to, left:right]`, counted from 1, ends included.
pub(crate) fn indexed(a: &Val, [from, to, left, right]: [usize; 4]) -> Option<Val> {
    if from < 1 || left < 1 || from > to || left > right || to > a.rows || right > a.cols {
        return None;
    }
    let mut cells = Vec::new();
    for i in from - 1..to {
        cells.extend_from_slice(&a.cells[i * a.cols + left - 1..i * a.cols + right]);
    }
    Some(a.with_cells(to - from + 1, right - left + 1, cells))
}

/// `a` after `a[from:to, left:right] = b`.
pub(crate) fn assigned(a: &Val, [from, to, left, right]: [usize; 4], b: &Val) -> Option<Val> {
    indexed(a, [from, to, left, right])?;
    let shape = (to - from + 1, right - left + 1);
    if !b.is_scalar && b.shape() != shape {
        return None;
    }
    let mut cells = a.cells.clone();
    for i in 0..shape.0 {
        for j in 0..shape.1 {
            let x = if b.is_scalar { b.cells[0] } else { b.at(i, j) };
            cells[(from - 1 + i) * a.cols + left - 1 + j] = x;
        }
    }
    let grid = a.grid.and_then(|x| Some(x.max(b.grid?)));
    Val::result(
        a.shape(),
        cells,
        grid,
        a.most().max(b.most()),
        (a.error.max(b.error), 1),
    )
}
