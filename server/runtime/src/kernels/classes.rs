//! Where two labellings of the same places agree: `rowClassMeet`.

use std::collections::HashMap;

use crate::error::OpError;
use crate::matrix::Matrix;

/// For each row, labels of the pairs of labels of `a` and `b`, and how many places of the row have the same pair. A place
/// without a label (0) on either side has none. A row vector `b` stands for each row; missing columns have no label.
/// Labels count from 1 in the order of Java's hash table, which is SystemDS's.
///
/// # Errors
/// When `b` has neither as many rows as `a` nor one.
pub fn meet(a: &Matrix, b: &Matrix) -> Result<[Matrix; 2], OpError> {
    if b.rows() != a.rows() && b.rows() != 1 {
        return Err(OpError::shapes(
            "rowClassMeet",
            a,
            b,
            "the right one has as many rows as the left one, or one",
        ));
    }
    let (rows, cols) = (a.rows(), a.cols().max(b.cols()));
    let shared = a.cols().min(b.cols());
    crate::kernels::generate::check_addressable("rowClassMeet", rows, cols)?;
    let mut labels = vec![0.0; rows * cols];
    let mut sizes = vec![0.0; rows * cols];
    // The table never shrinks from one row to the next.
    let mut places = 16_usize;
    for row in 0..rows {
        let mut order: Vec<(i32, i32)> = Vec::new();
        let mut classes: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
        for col in 0..shared {
            let right = if b.rows() == 1 { 0 } else { row };
            let pair = (a.get(row, col) as i32, b.get(right, col) as i32);
            if pair.0 != 0 && pair.1 != 0 {
                let class = classes.entry(pair).or_default();
                if class.is_empty() {
                    order.push(pair);
                }
                class.push(col);
            }
        }
        while order.len() * 4 > places * 3 {
            places *= 2;
        }
        order.sort_by_key(|(x, y)| {
            let hash = 31_i32
                .wrapping_mul(31_i32.wrapping_add(*x))
                .wrapping_add(*y) as u32;
            (hash ^ (hash >> 16)) as usize & (places - 1)
        });
        for (label, pair) in order.iter().enumerate() {
            let class = &classes[pair];
            for col in class {
                labels[row * cols + col] = (label + 1) as f64;
                sizes[row * cols + col] = class.len() as f64;
            }
        }
    }
    Ok([labels, sizes].map(|cells| Matrix::dense(rows, cols, cells).settled()))
}
