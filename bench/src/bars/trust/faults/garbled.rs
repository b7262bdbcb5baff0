//! Data files that are cut off or damaged, in every format that `read` takes: an error that names the file, and never the values of
//! half a file as if they were all.

use std::fs;
use std::ops::Range;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rand::RngExt;

use super::command::{self, Ended, judge_message};
use super::common::Dice;
use super::ground::{Files, Ground};
use super::scenes::{FORMATS, Scene, words};
use super::tally::{Seen, What};

/// A matrix in a file, with the metadata beside it.
pub(super) struct Data {
    /// The file.
    pub(super) name: String,
    format: usize,
    shape: (u32, u32),
    sparsity: f64,
    pub(super) files: Files,
}

impl Data {
    /// A matrix by chance, written by the program itself.
    ///
    /// # Errors
    /// The program does not write it.
    pub(super) fn made(
        ground: &Ground,
        dice: &mut Dice,
        (rows, cols): (Range<u32>, Range<u32>),
    ) -> Result<Data> {
        let format = dice.random_range(0..FORMATS.len());
        let shape = (dice.random_range(rows), dice.random_range(cols));
        let sparsity = [0.1, 0.5, 1.0][dice.random_range(0..3)];
        written(ground, dice, format, shape, sparsity)
    }

    /// Another one of the same format and shape.
    ///
    /// # Errors
    /// The program does not write it.
    pub(super) fn like(data: &Data, ground: &Ground, dice: &mut Dice) -> Result<Data> {
        written(ground, dice, data.format, data.shape, data.sparsity)
    }

    pub(super) fn bytes(&self) -> &Vec<u8> {
        &self.files[&self.name]
    }

    /// The metadata beside it, where there is any.
    fn metadata(&self) -> Option<String> {
        let name = format!("{}.mtd", self.name);
        self.files.contains_key(&name).then_some(name)
    }

    /// Reading it, with what depends on all of it.
    pub(super) fn scene(&self) -> Scene {
        let name = &self.name;
        let script = format!(
            "X = read(\"{name}\")\nprint(sum(X) + \" \" + nrow(X) + \" \" + ncol(X) + \" \" + sum(X != 0))\n"
        );
        let mut scene = Scene::new(&["run", "read.dml"]);
        scene.files.clone_from(&self.files);
        scene.with("read.dml", script)
    }

    /// What a run says that reads it where nothing disturbs it.
    ///
    /// # Errors
    /// It cannot be read even there.
    pub(super) fn read_by(&self, ground: &Ground) -> Result<Ended> {
        Ok(self.scene().undisturbed(ground)?.ended)
    }
}

fn written(
    ground: &Ground,
    dice: &mut Dice,
    format: usize,
    shape: (u32, u32),
    sparsity: f64,
) -> Result<Data> {
    let (name, ending) = FORMATS[format];
    let (rows, cols) = shape;
    let seed = dice.random_range(1..1_000_000);
    let file = format!("data.{ending}");
    let script = format!(
        "X = rand(rows={rows}, cols={cols}, sparsity={sparsity}, seed={seed})\nwrite(X, \"{file}\", format=\"{name}\")\n"
    );
    let other = ground.another()?;
    other.fill(&[("write.dml".to_owned(), script.into_bytes())].into())?;
    command::clean(&other, &words(&["run", "write.dml"]))?;
    let mut files = other.files()?;
    files.remove("write.dml");
    ensure!(files.contains_key(&file), "{file} was not written");
    Ok(Data {
        name: file,
        format,
        shape,
        sparsity,
        files,
    })
}

/// A file with fewer bytes than these has fewer cells than it states, and what it states says so. Of a text the last line may
/// be cut within its last number, which nobody can tell.
pub(super) fn surely_incomplete(data: &Data) -> usize {
    let bytes = data.bytes();
    match FORMATS[data.format].0 {
        "csv" | "text" | "mm" => {
            let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let last = lines.iter().rposition(|byte| *byte == b'\n');
            last.map_or(1, |at| at + 1)
        }
        _ => bytes.len(),
    }
}

/// What is done to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Damage {
    /// Cut off where what is left is surely not all.
    Cut,
    /// Cut off anywhere.
    CutAnywhere,
    /// Some bytes are others.
    Flipped,
    /// A stretch in the middle is missing.
    Missing,
    /// Bytes by chance, all of it.
    Noise,
    Empty,
    Folder,
    Pipe,
    Gone,
}

const DAMAGES: [Damage; 9] = [
    Damage::Cut,
    Damage::CutAnywhere,
    Damage::Flipped,
    Damage::Missing,
    Damage::Noise,
    Damage::Empty,
    Damage::Folder,
    Damage::Pipe,
    Damage::Gone,
];

/// A data file or its metadata, damaged.
pub(super) fn data(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let data = Data::made(ground, dice, (1..60, 1..40))?;
    let undisturbed = data.read_by(ground)?;
    // Half of all faults are cuts.
    let damage = match dice.random_bool(0.4) {
        true => Damage::Cut,
        false => DAMAGES[dice.random_range(0..DAMAGES.len())],
    };
    let metadata = data.metadata().filter(|_| dice.random_bool(0.2));
    let name = metadata.clone().unwrap_or_else(|| data.name.clone());
    seen.does(format!("{name}: {damage:?}"));
    ground.fill(&data.files)?;
    let path = ground.file(&name);
    let mut bytes = data.files[&name].clone();
    if bytes.len() < 2 {
        return Ok(());
    }
    let sure = match metadata {
        // Without its last bracket it is no metadata.
        Some(_) => bytes.trim_ascii_end().len(),
        None => surely_incomplete(&data),
    };
    let at = dice.random_range(0..bytes.len());
    match damage {
        Damage::Cut => bytes.truncate(dice.random_range(0..sure)),
        Damage::CutAnywhere => bytes.truncate(at),
        Damage::Flipped => {
            for _ in 0..dice.random_range(1..10) {
                let at = dice.random_range(0..bytes.len());
                bytes[at] = dice.random();
            }
        }
        Damage::Missing => {
            let end = dice.random_range(at..bytes.len());
            bytes.drain(at..=end);
        }
        Damage::Noise => bytes.iter_mut().for_each(|byte| *byte = dice.random()),
        Damage::Empty | Damage::Folder | Damage::Pipe | Damage::Gone => bytes.clear(),
    }
    fs::remove_file(&path)?;
    match damage {
        Damage::Gone => {}
        Damage::Folder => fs::create_dir(&path)?,
        Damage::Pipe => {
            let made = Command::new("mkfifo").arg(&path).output();
            let made = made.context("there is no `mkfifo`")?;
            ensure!(made.status.success(), "no pipe can be made");
        }
        _ => fs::write(&path, &bytes)?,
    }
    let scene = data.scene();
    ground.fill(&[("read.dml".to_owned(), scene.files["read.dml"].clone())].into())?;
    let command = ground.command(&scene.arguments);
    let ended = command::disturbed(command, undisturbed.took, seen)?;
    judge_message(&ended, &[&data.name], seen);
    let must_fail = match damage {
        Damage::Cut | Damage::Empty | Damage::Folder | Damage::Pipe => true,
        // Without metadata some files say enough themselves.
        Damage::Gone => metadata.is_none(),
        _ => false,
    };
    if must_fail && ended.code == Some(0) {
        let how = format!(
            "it is read as if it were whole: {} instead of {}",
            command::short(&ended.stdout),
            command::short(&undisturbed.stdout)
        );
        seen.wrong(What::Lost, how);
    }
    Ok(())
}
