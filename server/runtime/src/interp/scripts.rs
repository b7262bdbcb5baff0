//! Where the scripts of builtins that are DML functions come from: a SystemDS installation, or this crate's own.
//!
//! Nothing is looked for unless a script calls such a builtin.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::io::{open_regular, text_at_most};

/// No script is this large, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The scripts that come with this crate, by the builtin that they define.
const OWN: [(&str, &str); 10] = [
    ("glm", include_str!("../../scripts/glm.dml")),
    ("kmeans", include_str!("../../scripts/kmeans.dml")),
    ("l2svm", include_str!("../../scripts/l2svm.dml")),
    ("lm", include_str!("../../scripts/lm.dml")),
    ("lmCG", include_str!("../../scripts/lmCG.dml")),
    ("lmDS", include_str!("../../scripts/lmDS.dml")),
    ("multiLogReg", include_str!("../../scripts/multiLogReg.dml")),
    ("normalize", include_str!("../../scripts/normalize.dml")),
    ("pca", include_str!("../../scripts/pca.dml")),
    ("scale", include_str!("../../scripts/scale.dml")),
];

/// Where scripts stand in an installation or its jar file.
const FOLDERS: [&str; 2] = ["scripts/builtin", "builtin"];

/// What the jar file is called.
const JAR: &str = "SystemDS.jar";

/// The scripts of an installation, where one is given.
pub(super) struct Scripts<'a>(pub(super) Option<&'a Path>);

impl Scripts<'_> {
    /// The script that defines a builtin: a path to call it by, and its text.
    pub(super) fn builtin(&self, name: &str) -> Option<(PathBuf, String)> {
        // A name is a word; anything else could lead out of the folder.
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        self.installed(name).or_else(|| {
            let (_, text) = OWN.iter().find(|(own, _)| *own == name)?;
            Some((PathBuf::from(format!("{name}.dml")), (*text).to_owned()))
        })
    }

    /// The text of a file inside of the jar file; its path goes on behind the jar's.
    pub(super) fn file(&self, path: &Path) -> Option<String> {
        let jar = self.jar()?;
        entry(&jar, path.strip_prefix(&jar).ok()?.to_str()?)
    }

    /// The script of the installation that `source(path)` means, where the run has none of that path: `nn/layers/affine.dml`.
    pub(super) fn sourced(&self, path: &str) -> Option<PathBuf> {
        let inside = path.trim_start_matches("./");
        // Nothing leads out of the installation.
        let is_inside = Path::new(inside)
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        let root = self.0.filter(|_| is_inside)?;
        let places = ["", "scripts/"].map(|folder| format!("{folder}{inside}"));
        let mut on_disk = places.iter().map(|place| root.join(place));
        on_disk.find(|file| file.is_file()).or_else(|| {
            let jar = self.jar()?;
            let found = places.iter().find(|place| entry(&jar, place).is_some())?;
            Some(jar.join(found))
        })
    }

    fn installed(&self, name: &str) -> Option<(PathBuf, String)> {
        let root = self.0?;
        let places = FOLDERS.map(|folder| format!("{folder}/{name}.dml"));
        let on_disk = places.iter().find_map(|place| {
            let path = root.join(place);
            let text = text_at_most(&path, MOST_BYTES).ok()?;
            Some((path, text))
        });
        on_disk.or_else(|| {
            let jar = self.jar()?;
            let text = entry(&jar, &places[0])?;
            Some((jar.join(&places[0]), text))
        })
    }

    fn jar(&self) -> Option<PathBuf> {
        let root = self.0?;
        let candidates = [
            root.to_owned(),
            root.join(JAR),
            root.join("target").join(JAR),
        ];
        candidates.into_iter().find(|path| path.is_file())
    }
}

fn entry(jar: &Path, name: &str) -> Option<String> {
    let mut archive = zip::ZipArchive::new(open_regular(jar).ok()?).ok()?;
    let mut text = String::new();
    let mut file = archive.by_name(name).ok()?.take(MOST_BYTES);
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn every_script_of_our_own_is_read_without_an_error() {
        for (name, text) in OWN {
            let parsed = sumac_syntax::parse(text);
            assert!(parsed.errors().is_empty(), "{name}: {:?}", parsed.errors());
            assert!(text.contains(&format!("m_{name} = function(")), "{name}");
        }
    }

    #[test]
    fn an_installation_wins_and_names_cannot_leave_it() {
        let folder = tempfile::tempdir().unwrap();
        let scripts = folder.path().join("scripts/builtin");
        std::fs::create_dir_all(&scripts).unwrap();
        std::fs::write(scripts.join("scale.dml"), "theirs").unwrap();
        std::fs::write(folder.path().join("secret.dml"), "secret").unwrap();
        let installed = Scripts(Some(folder.path()));
        assert_eq!(installed.builtin("scale").unwrap().1, "theirs");
        assert!(
            installed
                .builtin("normalize")
                .unwrap()
                .1
                .contains("m_normalize")
        );
        assert!(installed.builtin("../../secret").is_none());
        assert!(Scripts(None).builtin("arima").is_none());
    }

    #[test]
    fn scripts_in_a_jar_file_are_found() {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let mut jar = zip::ZipWriter::new(File::create(folder.path().join(JAR)).unwrap());
        jar.start_file(
            "scripts/builtin/arima.dml",
            zip::write::SimpleFileOptions::default(),
        )
        .unwrap();
        jar.write_all(b"packed").unwrap();
        jar.finish().unwrap();
        let installed = Scripts(Some(folder.path()));
        let (path, text) = installed.builtin("arima").unwrap();
        assert_eq!(text, "packed");
        assert_eq!(installed.file(&path).unwrap(), "packed");
    }
}
