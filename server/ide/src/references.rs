//! Every place that names the thing under the cursor, in all files.

use std::path::Path;
use std::sync::Arc;

use sumac_syntax::Parse;

use crate::workspace::{Access, Location, Symbol, Workspace};

/// The places that name what a cursor at `offset` of `file` touches, sorted by file and place. Those that define it
/// are left out unless `with_definitions`.
#[must_use]
pub fn references(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    parse: &Parse,
    offset: usize,
    with_definitions: bool,
) -> Vec<Location> {
    let Some((_, symbol)) = Symbol::at(workspace.index, file, parse, offset) else {
        return Vec::new();
    };
    let found = symbol.everywhere(workspace).into_iter();
    found
        .filter(|found| {
            let is_own = Some(&found.location.file) == symbol.file();
            with_definitions || !(is_own && matches!(found.access, Access::Declare | Access::Write))
        })
        .map(|found| found.location)
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::fixture::Files;

    #[track_caller]
    fn check(fixture: &str, with_definitions: bool, expected: &Expect) {
        let files = Files::new(fixture);
        let (file, offset) = files.cursor();
        let parse = files.snapshot(&file).parse;
        let found = references(files.workspace(), &file, &parse, offset, with_definitions);
        expected.assert_eq(&files.show(found));
    }

    const PROJECT: &str = "\
//- lib/losses.dml
square = function(Matrix[Double] A) return (Double s) {
  s = sum(A^2)
}
twice = function(Matrix[Double] A) return (Double s) {
  s = 2 * square(A)
}
//- main.dml
source(\"lib/losses.dml\") as losses
X = rand(rows=10, cols=2)
loss = losses::square(A = X)
//- other/main.dml
source(\"../lib/losses.dml\") as l
print(l::square(matrix(1, 2, 2)))
square = function(Double a) return (Double b) { b = a }
z = square(1)
";

    #[test]
    fn a_function_is_found_in_all_files() {
        check(
            &PROJECT.replace("losses::sq", "losses::$0sq"),
            true,
            &expect![[r#"
                lib/losses.dml:1: [square] = function(Matrix[Double] A) return (Double s) {
                lib/losses.dml:5:   s = 2 * [square](A)
                main.dml:3: loss = losses::[square](A = X)
                other/main.dml:2: print(l::[square](matrix(1, 2, 2)))
            "#]],
        );
    }

    #[test]
    fn another_function_of_the_same_name_is_another_function() {
        check(
            &PROJECT.replace("z = sq", "z = $0sq"),
            false,
            &expect![[r#"
                other/main.dml:4: z = [square](1)
            "#]],
        );
    }

    #[test]
    fn a_variable_is_found_in_its_scope_only() {
        check(
            "#@ x: 1 x 1\nf = function(Double x) return (Double y) { y = x }\nx = 1\nx = f(x = x) + $0x\n",
            true,
            &expect![[r#"
                main.dml:1: #@ [x]: 1 x 1
                main.dml:3: [x] = 1
                main.dml:4: [x] = f(x = x) + x
                main.dml:4: x = f(x = [x]) + x
                main.dml:4: x = f(x = x) + [x]
            "#]],
        );
    }

    #[test]
    fn a_parameter_is_found_in_its_function_and_in_calls_that_name_it() {
        check(
            &PROJECT.replacen("A) return", "$0A) return", 1),
            true,
            &expect![[r#"
                lib/losses.dml:1: square = function(Matrix[Double] [A]) return (Double s) {
                lib/losses.dml:2:   s = sum([A]^2)
                main.dml:3: loss = losses::square([A] = X)
            "#]],
        );
    }

    #[test]
    fn namespaces_and_files_have_references_too() {
        check(
            &PROJECT.replace("= losses::", "= $0losses::"),
            true,
            &expect![[r#"
                main.dml:1: source("lib/losses.dml") as [losses]
                main.dml:3: loss = [losses]::square(A = X)
            "#]],
        );
        check(
            &PROJECT.replace("\"lib/", "\"$0lib/"),
            true,
            &expect![[r#"
                main.dml:1: source("[lib/losses.dml]") as losses
                other/main.dml:1: source("[../lib/losses.dml]") as l
            "#]],
        );
    }

    #[test]
    fn numbers_and_keywords_have_none() {
        check("x = 1$0 + 2\n", true, &expect![""]);
        check("$0while (TRUE) x = 2\n", true, &expect![""]);
    }
}
