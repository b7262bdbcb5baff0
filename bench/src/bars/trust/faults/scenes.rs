//! What commands are disturbed at: scripts, data and command lines by chance, and what each leaves where nothing disturbs it.

use std::fmt::Write as _;

use anyhow::Result;
use rand::RngExt;

use super::command::{self, Ended};
use super::common::Dice;
use super::ground::{Files, Ground};

/// How `write` calls a format, and how files of it end.
pub(super) const FORMATS: [(&str, &str); 6] = [
    ("csv", "csv"),
    ("text", "ijv"),
    ("mm", "mtx"),
    ("npy", "npy"),
    ("npz", "npz"),
    ("sumac", "smx"),
];

/// A command line and the files that it needs.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) arguments: Vec<String>,
    pub(super) files: Files,
}

/// What a scene comes to where nothing disturbs it.
pub(super) struct Undisturbed {
    pub(super) ended: Ended,
    /// All files of the folder afterwards.
    pub(super) files: Files,
}

impl Scene {
    pub(super) fn new(arguments: &[&str]) -> Self {
        Scene {
            arguments: words(arguments),
            files: Files::new(),
        }
    }

    pub(super) fn with(mut self, name: &str, text: impl Into<Vec<u8>>) -> Self {
        self.files.insert(name.to_owned(), text.into());
        self
    }

    /// Plays it in a place of its own.
    ///
    /// # Errors
    /// It does not go well even there.
    pub(super) fn undisturbed(&self, ground: &Ground) -> Result<Undisturbed> {
        let other = ground.another()?;
        other.fill(&self.files)?;
        let ended = command::clean(&other, &self.arguments)?;
        let files = other.files()?;
        Ok(Undisturbed { ended, files })
    }

    /// The command line in words.
    pub(super) fn shown(&self) -> String {
        format!("`{}`", self.arguments.join(" "))
    }
}

/// Words of a command line.
pub(super) fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// A command that reads, computes or writes.
pub(super) fn any(dice: &mut Dice) -> Scene {
    match dice.random_range(0..7) {
        0 => formatting(dice),
        1 => formatting_one(dice),
        2 => applying(dice),
        3 => writing(dice),
        4 => checking(dice),
        5 => timing(),
        _ => compiling(dice),
    }
}

/// A command that changes scripts.
pub(super) fn changing(dice: &mut Dice) -> Scene {
    match dice.random_range(0..3) {
        0 => formatting(dice),
        1 => formatting_one(dice),
        _ => applying(dice),
    }
}

fn formatting(dice: &mut Dice) -> Scene {
    let mut scene = Scene::new(&["fmt", "scripts"]);
    for number in 0..dice.random_range(1..40) {
        let lines = dice.random_range(1..60);
        scene = scene.with(&format!("scripts/s{number}.dml"), untidy(dice, lines));
    }
    scene
}

fn formatting_one(dice: &mut Dice) -> Scene {
    let lines = dice.random_range(50..3000);
    Scene::new(&["fmt", "long.dml"]).with("long.dml", untidy(dice, lines))
}

fn applying(dice: &mut Dice) -> Scene {
    let count = dice.random_range(1..4);
    let mut scene = Scene::new(&["optimize", "--apply"]);
    for number in 0..count {
        let name = format!("loss{number}.dml");
        scene = scene.with(&name, loss(dice, 20_000, 10_000));
        scene.arguments.push(name);
    }
    scene
}

/// A run that writes over what an earlier run wrote.
pub(super) fn writing(dice: &mut Dice) -> Scene {
    let (format, ending) = FORMATS[dice.random_range(0..FORMATS.len())];
    let (rows, cols) = (dice.random_range(1..200), dice.random_range(1..100));
    let (file, metadata) = (format!("out.{ending}"), format!("out.{ending}.mtd"));
    let seed = dice.random_range(1..1000);
    let script = format!(
        "X = rand(rows={rows}, cols={cols}, seed={seed})\nwrite(X, \"{file}\", format=\"{format}\")\nprint(sum(X))\n"
    );
    let scene = Scene::new(&["run", "write.dml"])
        .with("write.dml", script)
        .with(&file, "1 1 7\n");
    if format == "mm" {
        return scene;
    }
    let old = format!(
        "{{\"data_type\": \"matrix\", \"rows\": 1, \"cols\": 1, \"nnz\": 1, \"format\": \"{format}\"}}\n"
    );
    scene.with(&metadata, old)
}

fn checking(dice: &mut Dice) -> Scene {
    let mut scene = Scene::new(&["check", "scripts"]);
    for number in 0..dice.random_range(1..20) {
        let lines = dice.random_range(20..300);
        scene = scene.with(&format!("scripts/s{number}.dml"), untidy(dice, lines));
    }
    scene
}

/// A timing, which takes some seconds.
pub(super) fn timing() -> Scene {
    Scene::new(&["time", "loss.dml:7"]).with("loss.dml", LOSS)
}

/// A loop nest as C, compiled and run. The compiler is a process more, and its code is kept in the cache.
pub(super) fn compiling(dice: &mut Dice) -> Scene {
    let mut scene = Scene::new(&["array", "mm", "--emit", "run", "--backend", "c"]);
    for name in ["m", "n", "k"] {
        let size = 16 * dice.random_range(1..5);
        scene
            .arguments
            .extend(words(&["--size", &format!("{name}={size}")]));
    }
    scene
}

/// A loss with a cheaper form in its line 7, small enough to be timed in some seconds.
pub(super) const LOSS: &str = "\
#@ X: 2000 x 1000, sparsity 0.001
#@ U: 2000 x 10
#@ V: 1000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
";

/// The loss with sizes and a factor by chance, and perhaps many lines behind it.
pub(super) fn loss(dice: &mut Dice, rows: u32, cols: u32) -> String {
    let rows = rows + dice.random_range(0..1000);
    let factor = dice.random_range(2..100);
    let mut text = LOSS
        .replace("2000 x", &format!("{rows} x"))
        .replace("1000 x", &format!("{cols} x"))
        .replace("x 1000,", &format!("x {cols},"))
        .replace("t(V))^2", &format!("t({factor} * V))^2"));
    let lines = dice.random_range(0..200);
    text.push_str(&untidy(dice, lines));
    text
}

/// A script that is right, and not laid out.
pub(super) fn untidy(dice: &mut Dice, lines: usize) -> String {
    let mut text = String::from("a0=1\n");
    for number in 1..=lines {
        let before = dice.random_range(0..number);
        let _ = match dice.random_range(0..4) {
            0 => writeln!(text, "a{number}   =  a{before}+{number} # no. {number}"),
            1 => writeln!(
                text,
                "if(a{before}>{number}){{a{number}=1}}else{{ a{number}  = 2 }}"
            ),
            2 => writeln!(text, "a{number}=a{before};"),
            _ => writeln!(
                text,
                "a{number} = sum(matrix( {number},rows=3,cols=2 ))*a{before}"
            ),
        };
    }
    let _ = writeln!(text, "print( a{lines} )");
    text
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn scripts_are_right_and_follow_from_the_dice() {
        for seed in 0..20 {
            let text = untidy(&mut Dice::seed_from_u64(seed), 100);
            assert_eq!(sumac_syntax::parse(text.as_str()).errors(), []);
            assert_eq!(text, untidy(&mut Dice::seed_from_u64(seed), 100));
            let text = loss(&mut Dice::seed_from_u64(seed), 20_000, 10_000);
            assert_eq!(sumac_syntax::parse(text.as_str()).errors(), []);
            assert!(
                text.contains("x 10000,") && !text.contains("2000 x"),
                "{text}"
            );
        }
    }
}
