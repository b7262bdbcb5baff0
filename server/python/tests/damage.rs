//! Broken code is normal input: whatever is cut out or put in, nothing panics, and what is read can be read again.

use std::fmt::Write as _;

use sumac_python::{expression, read};

/// A program of about `functions` times 20 lines.
fn program(functions: usize) -> String {
    let mut text = String::from("import numpy as np\nfrom jaxtyping import Float\n\n");
    for at in 0..functions {
        write!(
            text,
            r#"
class Model{at}:
    def fit(self, X, y, w: Float[np.ndarray, "d"], alpha=1.0):
        """Fits.

        Parameters
        ----------
        X : array of shape (n, d)
        y : (n,) array
        """
        #@ self.W: d x k
        n, d = X.shape
        assert d <= n
        w = np.zeros(d)
        for i in range(100):
            r = X @ w - y  # (n,)
            if r @ r < 1e-6:
                break
            w = w - 0.1 * X.T @ r / n
        try:
            Z = np.diag(X @ np.eye(d) @ X.T)[:, None] * X
        except ValueError as error:
            raise KeyError(f"{{error}}") from error
        return [np.trace(Z.T @ X), {{"a": np.einsum('ij,ij->i', X, Z)}}, (lambda q: q @ w)(X[1:, 0])]
"#
        )
        .unwrap();
    }
    text
}

/// Numbers that look random and are the same each time.
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0)
}

#[test]
fn damage_never_panics() {
    let whole = program(8);
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        "\n",
        "    ",
        "\"\"\"",
        "'",
        "@",
        "=",
        "#@ X: n x",
        "é",
        "\\",
        "lambda",
        ",",
        "f'{",
        "*",
        "0j",
        "del ",
        "1e999",
        "match X:",
        "\t",
        "\r",
        "\0",
        "X[::]",
        "-",
        "while",
        "async ",
        ":=",
    ];
    let mut state = 7;
    for round in 0..400 {
        let mut text = whole.clone();
        for _ in 0..=round % 7 {
            let mut at = next(&mut state) % text.len();
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            if next(&mut state).is_multiple_of(2) {
                text.insert_str(at, pieces[next(&mut state) % pieces.len()]);
            } else {
                let mut end = (at + next(&mut state) % 40).min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                text.replace_range(at..end.max(at), "");
            }
        }
        let reading = read(&text);
        for site in &reading.sites {
            let piece = &text[site.range.start..site.range.end];
            assert_eq!(
                expression(piece, &site.env).as_ref(),
                Some(&site.tree),
                "{piece}"
            );
        }
    }
}

#[test]
fn deep_code_is_not_walked() {
    for piece in [
        "(",
        "-",
        "X.T @ ",
        "a.",
        "not ",
        "lambda: ",
        "[",
        "x if y else ",
        "f(1, ",
        "lambda a, b: ",
    ] {
        let text = format!("import numpy as np\nX = {}X", piece.repeat(20_000));
        let _ = read(&text);
    }
    let mut text = String::new();
    for depth in 0..300 {
        writeln!(text, "{}if x:", " ".repeat(depth)).unwrap();
    }
    let _ = read(&text);
    let _ = read(&"if x: pass\nelse:\n".repeat(2000));
}

#[test]
fn a_file_is_read_in_time_that_grows_with_it() {
    let time = |functions: usize| {
        let text = program(functions);
        let start = std::time::Instant::now();
        let reading = read(&text);
        assert_eq!(reading.sites.len() % functions, 0);
        start.elapsed().as_secs_f64()
    };
    time(10);
    let (small, large) = (time(50), time(400));
    assert!(
        large < 30.0 * small + 0.1,
        "{small} s, and {large} s for 8 times as much"
    );
}
