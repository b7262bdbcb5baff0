//! The document about the nests of a product: what each sketch came to and took, and the loops and the C text of one.

use std::fmt::Write;

use super::faster;
use crate::quantity;
use crate::schedule::nests::ProductSize;

/// What a sketch came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The sketch.
    pub name: String,
    /// The program that it led to, and its nest as C.
    pub found: Option<(String, String)>,
    /// Milliseconds of a run, the median.
    pub ms: Option<f64>,
    /// Why there is no program, no nest or no time, in one line.
    pub missed: Option<String>,
}

/// The document about a product's nests; `title` names the place for people, `statement` is its text. Times are those at
/// `measured`; `plain` is what the product takes there without a nest.
#[must_use]
pub fn document(
    (title, statement): (&str, &str),
    size: ProductSize,
    measured: ProductSize,
    plain: Option<f64>,
    rows: &[Row],
) -> String {
    let mut text = format!(
        "# Loop nests of {title}\n\n    {statement}\n\nA product of dense matrices, {}.",
        size.shown()
    );
    if rows.iter().any(|row| row.ms.is_some()) {
        if measured == size {
            text.push_str(" Each nest was run at this size.");
        } else {
            let _ = write!(text, " Each nest was run on {}.", measured.shown());
        }
    }
    text.push_str("\n\n| sketch | median | rate | |\n|---|--:|--:|---|\n");
    let mut order: Vec<&Row> = rows.iter().collect();
    order.sort_by(|a, b| faster(a.ms, b.ms));
    let cells = |ms: Option<f64>| match ms {
        Some(ms) => {
            let rate = quantity::count(measured.flops() / (ms / 1e3));
            (quantity::seconds(ms / 1e3), format!("{rate}FLOP/s"))
        }
        None => ("–".to_owned(), String::new()),
    };
    for row in &order {
        let (time, rate) = cells(row.ms);
        let missed = row
            .missed
            .as_deref()
            .unwrap_or_default()
            .replace('|', "\\|");
        let _ = writeln!(text, "| {} | {time} | {rate} | {missed} |", row.name);
    }
    if plain.is_some() {
        let (time, rate) = cells(plain);
        let _ = writeln!(
            text,
            "| `%*%` of `sumac run`, no nest | {time} | {rate} | |"
        );
    }
    let Some((row, (program, c))) = order
        .into_iter()
        .find_map(|row| Some((row, row.found.as_ref()?)))
    else {
        return text;
    };
    let name = &row.name;
    let _ = write!(
        text,
        "\n## The loops of {name}\n\n```text\n{program}```\n\n## {name} as C\n\n```c\n{c}```\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn the_fastest_comes_first_and_is_shown_and_what_is_missed_is_said() {
        let row = |name: &str, ms: Option<f64>, missed: Option<&str>| Row {
            name: name.to_owned(),
            found: (missed.is_none()).then(|| (format!("{name}!\n"), format!("void {name};\n"))),
            ms,
            missed: missed.map(str::to_owned),
        };
        let rows = [
            row("blocking", Some(20.0), None),
            row("baseline", Some(200.0), None),
            row("odd", None, Some("the goal was not reached: a | b")),
            row("packed", Some(10.0), None),
        ];
        let size = ProductSize {
            m: 1000,
            n: 1000,
            k: 1000,
        };
        let text = document(("a.dml:3", "C = A %*% B"), size, size, Some(8.0), &rows);
        expect![[r#"
            # Loop nests of a.dml:3

                C = A %*% B

            A product of dense matrices, 1000 x 1000 times 1000 x 1000. Each nest was run at this size.

            | sketch | median | rate | |
            |---|--:|--:|---|
            | packed | 10.0 ms | 200 GFLOP/s |  |
            | blocking | 20.0 ms | 100 GFLOP/s |  |
            | baseline | 200 ms | 10 GFLOP/s |  |
            | odd | – |  | the goal was not reached: a \| b |
            | `%*%` of `sumac run`, no nest | 8.0 ms | 250 GFLOP/s | |

            ## The loops of packed

            ```text
            packed!
            ```

            ## packed as C

            ```c
            void packed;
            ```
        "#]].assert_eq(&text);
        let smaller = ProductSize { m: 500, ..size };
        let text = document(("a.dml:3", "C = A %*% B"), size, smaller, None, &rows[2..3]);
        expect![[r#"
            # Loop nests of a.dml:3

                C = A %*% B

            A product of dense matrices, 1000 x 1000 times 1000 x 1000.

            | sketch | median | rate | |
            |---|--:|--:|---|
            | odd | – |  | the goal was not reached: a \| b |
        "#]]
        .assert_eq(&text);
    }
}
