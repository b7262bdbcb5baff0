//! `sumac sketch`, and `sumac check` of sketch files.

use super::*;

const LIBRARY: &str = include_str!("../../../../fixtures/sketches/linear_algebra.sketch");
const EXAMPLES: &str = include_str!("../../../../fixtures/sketches/examples.dml");

/// Each sketch of the library, and the line of the examples that it makes.
const MADE: [(&str, &str); 13] = [
    (
        "avoid_outer_product(X)",
        "loss = sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))",
    ),
    (
        "push_aggregation_down",
        "total = sum(rowSums(V) * t(colSums(X)))",
    ),
    ("factor_for_sparsity(X)", "weighted = X * (Y + Z)"),
    ("one_pass(X)", "both = sum(X * (Y + Z))"),
    ("expose_mmchain(X)", "gradient = t(X) %*% (X %*% v)"),
    ("gram_once(X)", "normal = t(V) %*% (t(X) %*% X) %*% V"),
    ("around_the_product(X)", "fit = sum(U * (X %*% V))"),
    ("vector_first", "chain = X %*% (S %*% v)"),
    ("scalar_last", "scaled = c * sum(X)"),
    ("scale_rows(X)", "rows = X * w"),
    ("trace_without_product", "tr = sum(V * (t(Y) %*% U))"),
    ("row_sums_as_product(X)", "sums = X %*% v"),
    ("less_than_one(Y)", "slope = Y * (1 - Z)"),
];

fn folder() -> Folder {
    let folder = Folder::new(&[("examples.dml", EXAMPLES)]);
    std::fs::create_dir(folder.path().join("sketches")).unwrap();
    std::fs::write(
        folder.path().join("sketches/linear_algebra.sketch"),
        LIBRARY,
    )
    .unwrap();
    folder
}

fn line_of(call: &str) -> usize {
    let wanted = format!("# sketch: {call}");
    2 + EXAMPLES.lines().position(|line| line == wanted).unwrap()
}

#[test]
fn each_sketch_of_the_library_makes_its_example_what_it_promises() {
    let folder = folder();
    let of_library = LIBRARY
        .lines()
        .filter(|line| line.starts_with("sketch "))
        .count();
    assert_eq!(of_library, MADE.len(), "every sketch has an example");
    for (call, made) in MADE {
        let place = format!("examples.dml:{}", line_of(call));
        let output = folder.sumac(&["sketch", &place, call]);
        let text = stdout(&output);
        assert_eq!(code(&output), 0, "{call}: {text}{}", stderr(&output));
        let line = format!("\n+{made}\n");
        assert!(
            text.contains(&line),
            "{call}: expected {made}, found\n{text}"
        );
        assert!(
            stderr(&output).contains("proved (canonical)"),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(code(&folder.sumac(&["check", "."])), 0);
}

#[test]
fn a_form_is_written_into_the_script_and_the_script_keeps_its_value() {
    let script = "X = rand(rows=40, cols=9, seed=1)\nU = rand(rows=40, cols=2, seed=2)\n\
        V = rand(rows=9, cols=2, seed=3)\nloss = sum((X - U %*% t(V))^2)\nprint(round(1000 * loss))\n";
    let folder = Folder::new(&[("a.dml", script), ("mine.sketch", LIBRARY)]);
    let before = stdout(&folder.sumac(&["run", "a.dml"]));
    let output = folder.sumac(&["sketch", "a.dml:4", "avoid_outer_product(X)", "--apply"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(folder.read("a.dml").contains("sum(U * (X %*% V))"));
    assert_eq!(stdout(&folder.sumac(&["run", "a.dml"])), before);
    // What fits as it is written needs no edit.
    let again = folder.sumac(&["sketch", "a.dml:4", "around_the_product(X)"]);
    assert_eq!(code(&again), 2, "{}", stdout(&again));
    assert!(
        stderr(&again).contains("fits the sketch as it is written"),
        "{}",
        stderr(&again)
    );
}

#[test]
fn programs_read_stages_and_forms() {
    let folder = folder();
    let call = "one_pass(X)";
    let place = format!("examples.dml:{}", line_of(call));
    let found = json(&folder.sumac(&["sketch", &place, call, "--format", "json"]));
    assert_eq!(found["sketch"], call);
    let labels: Vec<_> = found["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["label"])
        .collect();
    assert_eq!(labels, ["guide together", "goal"]);
    assert_eq!(found["stages"][1]["cost"]["model"], "size");
    assert_eq!(found["forms"][0]["optimized"], "sum(X * (Y + Z))");
    assert_eq!(found["forms"][0]["proof"], "canonical");
    assert!(found.get("failed").is_none());
}

#[test]
fn what_is_not_reached_is_explained() {
    let mine = "sketch far(X) {\n  guide contains(X^2 - ? + ?) using distribute minimize size\n  \
        goal sum(X^2) - ? + trace(?) using transpose minimize size\n}\n";
    let folder = Folder::new(&[("a.dml", LOSS), ("mine.sketch", mine)]);
    let output = folder.sumac(&["sketch", "a.dml:7", "far(X)"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    for part in [
        "# guide 1: sum(",
        "# goal: sum(X^2) - ? + trace(?)",
        "^ missed",
        "nearest: ",
        "e-nodes",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(
        stderr(&output).contains("the goal was not reached"),
        "{}",
        stderr(&output)
    );
    let near = "sketch near { goal contains(sum(?) - ?) using transpose }";
    std::fs::write(folder.path().join("mine.sketch"), near).unwrap();
    let failed = json(&folder.sumac(&["sketch", "a.dml:7", "near", "--format", "json"]));
    assert_eq!(failed["failed"]["add"], "distribute");
    assert_eq!(failed["forms"].as_array().unwrap().len(), 0);
}

#[test]
fn wrong_names_are_wrong_usage_and_wrong_places_say_so() {
    let folder = folder();
    for (args, message) in [
        (
            &["sketch", "examples.dml:20", "avoid_outer(X)"][..],
            "there is no sketch `avoid_outer`",
        ),
        (
            &["sketch", "examples.dml:20", "one_pass"],
            "takes one argument, found 0",
        ),
        (&["sketch", "examples.dml", "one_pass(X)"], "names no line"),
        (
            &[
                "sketch",
                "examples.dml:20",
                "vector_first",
                "--sketches",
                "no.sketch",
            ],
            "there is no such file",
        ),
    ] {
        let output = folder.sumac(args);
        assert_eq!(code(&output), 64, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(message),
            "{args:?}: {}",
            stderr(&output)
        );
    }
    let nothing = folder.sumac(&["sketch", "examples.dml:1", "vector_first"]);
    assert_eq!(code(&nothing), 1, "{}", stderr(&nothing));
    let place = format!("examples.dml:{}", line_of("one_pass(X)"));
    let unread = folder.sumac(&["sketch", &place, "one_pass(Q)"]);
    assert_eq!(code(&unread), 1);
    assert!(
        stderr(&unread).contains("reads no `Q`; it reads X, Y, Z"),
        "{}",
        stderr(&unread)
    );
}

#[test]
fn without_a_name_the_sketches_that_could_apply_are_listed() {
    let folder = folder();
    let place = format!("examples.dml:{}", line_of("trace_without_product"));
    let output = folder.sumac(&["sketch", &place]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        text.contains("trace_without_product") && text.contains("The trace of a product"),
        "{text}"
    );
    // Those that need an argument are not listed: nobody has said which.
    assert!(!text.contains("one_pass"), "{text}");
}

#[test]
fn sketch_files_are_checked() {
    let folder = Folder::new(&[
        ("a.sketch", "sketch s { goal summ(?) }"),
        ("b.sketch", LIBRARY),
    ]);
    let output = folder.sumac(&["check", "a.sketch", "b.sketch"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("did you mean `sum`?"),
        "{}",
        stdout(&output)
    );
    let found = json(&folder.sumac(&["check", ".", "--format", "json"]));
    assert_eq!(found[0]["code"], "sketch-name");
    assert_eq!(
        (&found[0]["line"], &found[0]["col"]),
        (&1.into(), &17.into())
    );
    assert_eq!(found.as_array().unwrap().len(), 1);
}

const EXPAND: &str =
    "sketch expand(X) {\n  goal sum(X^2) - ? + ? using distribute minimize size\n}\n";

/// The loss of the other tests with a line above its statement.
fn with_pin(line: &str) -> String {
    LOSS.replace("loss = ", &format!("{line}\nloss = "))
}

#[test]
fn a_pinned_sketch_decides_what_is_suggested() {
    let script = with_pin("#@ sketch expand(X)");
    let folder = Folder::new(&[("a.dml", &script), ("mine.sketch", EXPAND)]);
    let output = folder.sumac(&["optimize", "a.dml", "--format", "json"]);
    let found = json(&output);
    let optimized = found[0]["optimized"].as_str().unwrap();
    assert!(optimized.contains("sum((U %*% t(V))^2)"), "{optimized}");
    assert_eq!(found[0]["sketch"], "expand(X)");
    assert_eq!(found[0]["proof"], "canonical");
    // Without the pin the search finds its own form, and says nothing of sketches.
    let free = Folder::new(&[("a.dml", LOSS), ("mine.sketch", EXPAND)]);
    let free = json(&free.sumac(&["optimize", "a.dml", "--format", "json"]));
    assert_ne!(free[0]["optimized"], found[0]["optimized"]);
    assert!(free[0].get("sketch").is_none());
    assert_eq!(code(&folder.sumac(&["check", "a.dml"])), 0);
}

#[test]
fn a_script_can_hold_the_sketch_that_it_pins() {
    let inline = "#@ sketch expand(X) {\n#@   goal sum(X^2) - ? + ? using distribute\n#@     minimize size\n#@ }\n#@ sketch expand(X)";
    let folder = Folder::new(&[("a.dml", &with_pin(inline))]);
    let found = json(&folder.sumac(&["optimize", "a.dml", "--format", "json"]));
    assert_eq!(found[0]["sketch"], "expand(X)", "{found}");
    let by_name = folder.sumac(&["sketch", "a.dml:12", "expand(X)"]);
    assert_eq!(code(&by_name), 0, "{}", stderr(&by_name));
    let wrong = with_pin(&inline.replace("sum(X^2)", "summ(X^2)"));
    let folder = Folder::new(&[("a.dml", &wrong)]);
    let output = folder.sumac(&["check", "a.dml"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("did you mean `sum`"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_pin_that_leads_nowhere_is_diagnosed() {
    let unknown = Folder::new(&[
        ("a.dml", &with_pin("#@ sketch expnd(X)")),
        ("mine.sketch", EXPAND),
    ]);
    let output = unknown.sumac(&["check", "a.dml"]);
    assert_eq!(code(&output), 1);
    let text = stdout(&output);
    assert!(
        text.contains("there is no sketch `expnd`; did you mean `expand`?"),
        "{text}"
    );
    let far = "sketch far(X) { goal contains(rowSums(?)) - ? using aggregate }\n";
    let folder = Folder::new(&[
        ("a.dml", &with_pin("#@ sketch far(X)")),
        ("mine.sketch", far),
    ]);
    let output = folder.sumac(&["check", "a.dml", "--format", "json"]);
    assert_eq!(code(&output), 0, "a warning is no error");
    let found = json(&output);
    assert_eq!(
        (&found[0]["code"], &found[0]["line"]),
        (&"sketch-pin".into(), &7.into())
    );
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("the goal was not reached"), "{message}");
    let output = folder.sumac(&["optimize", "a.dml"]);
    assert!(
        stderr(&output).contains("a.dml:7: the sketch `far(X)` does not fit"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn rules_that_a_file_lists_are_proved_and_then_used() {
    let rules = "# The loss in one step.\nrule expanded: sum(((A : m x n) - (B : m x n))^2) = sum(A^2) - 2 * sum(A * B) + sum(B^2)\n";
    let mine = "import \"rules.sketch\"\nsketch one(X) { goal sum(X^2) - ? + ? using expanded }\n";
    let folder = Folder::new(&[
        ("a.dml", LOSS),
        ("mine.sketch", mine),
        ("rules.sketch", rules),
    ]);
    let output = folder.sumac(&["sketch", "a.dml:7", "one(X)"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("loss = sum(X^2) - 2 * sum(X * "),
        "{}",
        stdout(&output)
    );
    assert_eq!(code(&folder.sumac(&["check", "."])), 0);
    // Without sizes it would not hold where a column meets a matrix, so it is refused and never runs.
    let wrong = rules.replace(" : m x n", "");
    std::fs::write(folder.path().join("rules.sketch"), wrong).unwrap();
    let checked = folder.sumac(&["check", "rules.sketch"]);
    assert_eq!(code(&checked), 1);
    let text = stdout(&checked);
    for part in ["error[sketch-rule]", "is not always", "; with A = "] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let output = folder.sumac(&["sketch", "a.dml:7", "one(X)"]);
    assert_eq!(code(&output), 64);
    assert!(
        stderr(&output).contains("the rule `expanded` has an error"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_goal_that_is_not_reached_directly_is_reached_by_way_of_a_guide_that_is_shown() {
    let mine = "def gram(A) = t(A) %*% A\nsketch direct(X) { goal sum(X^2) - 2 * sum(? * (X %*% ?)) + sum(gram(?) * gram(?)) minimize nnz within 500 nodes }\n";
    let folder = Folder::new(&[("a.dml", LOSS), ("mine.sketch", mine)]);
    let found = json(&folder.sumac(&["sketch", "a.dml:7", "direct(X)", "--format", "json"]));
    let proposed = found["stages"][0]["proposed"].as_str().unwrap().to_owned();
    assert!(
        proposed.starts_with("guide ") && proposed.ends_with("within 500 nodes"),
        "{proposed}"
    );
    assert_eq!(found["stages"][1]["label"], "goal");
    assert_eq!(found["stages"][1].get("proposed"), None);
    // What is shown can be pasted, and then nothing is put in any more.
    let kept = mine.replace("{ goal", &format!("{{ {proposed} goal"));
    std::fs::write(folder.path().join("mine.sketch"), kept).unwrap();
    let again = json(&folder.sumac(&["sketch", "a.dml:7", "direct(X)", "--format", "json"]));
    assert_eq!(
        again["forms"][0]["optimized"],
        found["forms"][0]["optimized"]
    );
    assert_eq!(again["stages"][0].get("proposed"), None);
    let text = stdout(&folder.sumac(&["sketch", "a.dml:7", "direct(X)"]));
    assert!(!text.contains("keep it"), "{text}");
}

#[test]
fn guides_are_kept_for_later_commands_where_the_folder_asks_for_it() {
    let goal = "goal sum(X^2) - 2 * sum(? * (X %*% ?)) + sum(gram(?) * gram(?)) using sum_product minimize nnz within 90 nodes";
    let guides = ["contains(X^2 - ? + ?^2)", "sum(X^2) - ? + sum(?^2)"]
        .map(|guide| format!("guide {guide} using sum_product minimize nnz within 90 nodes\n"));
    let mine = format!(
        "def gram(A) = t(A) %*% A\nsketch direct(X) {{ {goal} }}\nsketch long(X) {{ {} {goal} }}\n",
        guides.concat()
    );
    let folder = Folder::new(&[("a.dml", LOSS), ("mine.sketch", &mine)]);
    let by = |name: &str| code(&folder.sumac(&["sketch", "a.dml:7", name]));
    assert_eq!([by("long(X)"), by("direct(X)")], [0, 1]);
    std::fs::write(folder.path().join("sumac.toml"), "[search]\nkeep = true\n").unwrap();
    assert_eq!([by("direct(X)"), by("long(X)"), by("direct(X)")], [1, 0, 0]);
    let text = stdout(&folder.sumac(&["sketch", "a.dml:7", "direct(X)"]));
    assert!(text.contains("# proposed guide: "), "{text}");
}

#[test]
fn a_growth_filter_is_obeyed_and_named() {
    let mine = "sketch apart(X) { goal sum(X^2) - ? + ? using distribute }\n\
        sketch small(X) { goal sum(X^2) - ? + ? using distribute within 9 parts }\n\
        sketch sparse(X) { goal sum(X^2) - ? + ? using distribute within 1e4 nnz }\n\
        sketch wide(X) { goal sum(X^2) - ? + ? using distribute within 60 parts, 1e12 nnz }\n";
    let folder = Folder::new(&[("a.dml", LOSS), ("mine.sketch", mine)]);
    for name in ["apart(X)", "wide(X)"] {
        let output = folder.sumac(&["sketch", "a.dml:7", name]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
    }
    for name in ["small(X)", "sparse(X)"] {
        let output = folder.sumac(&["sketch", "a.dml:7", name]);
        assert_eq!(code(&output), 1, "{name}: {}", stdout(&output));
        let told = stderr(&output);
        assert!(told.contains("within its `parts` and `nnz`"), "{told}");
    }
}

#[test]
fn sketch_files_are_laid_out() {
    let text = "# Kept.\nsketch  s{goal ? # why\nusing factor}\n";
    let made = "# Kept.\nsketch s {\n  goal ? # why\n    using factor\n}\n";
    let folder = Folder::new(&[
        ("a.sketch", text),
        ("broken.sketch", "sketch {"),
        ("x.dml", "x=1\nprint(x)\n"),
    ]);
    let checked = folder.sumac(&["fmt", "--check", "a.sketch"]);
    assert_eq!((code(&checked), &*stdout(&checked)), (1, "a.sketch\n"));
    assert_eq!(folder.read("a.sketch"), text);
    // A folder's sketch files are laid out with its scripts; a broken one is reported and left.
    let output = folder.sumac(&["fmt", "."]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("broken.sketch:1:8: expected a name behind `sketch`"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        (folder.read("a.sketch"), folder.read("x.dml")),
        (made.to_owned(), "x = 1\nprint(x)\n".to_owned())
    );
    assert_eq!(code(&folder.sumac(&["fmt", "--check", "a.sketch"])), 0);
}
