//! `read(…)`: sizes from its arguments, from the `.mtd` file, from a Matrix Market header; and missing files.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use sumac_la::{Dim, as_f64};
use sumac_syntax::ast::{Call, Expr};

use crate::analyzer::Analyzer;
use crate::expr::Val;
use crate::found::Found;
use crate::functions::argument;
use crate::meta;
use crate::provenance::{Origin, SizeNames};
use crate::result::{Severity, codes};
use crate::value::{Constant, ValueInfo, ValueKind, as_size};

/// Enough for the banner, the comments and the size line.
const HEADER_BYTES: usize = 64 * 1024;
/// More than any metadata file.
const MTD_BYTES: usize = 1024 * 1024;

impl Analyzer<'_> {
    pub(crate) fn eval_read(&mut self, expr: &Expr, call: &Call) -> Val {
        let values: Vec<ValueInfo> = call
            .args
            .iter()
            .map(|arg| self.eval_part(&arg.value).info)
            .collect();
        let text = |at: Option<usize>| match at.and_then(|i| values[i].constant.as_ref()) {
            Some(Constant::Text(text)) => Some(text.to_string()),
            _ => None,
        };
        let by_name = |name: &str| {
            call.args
                .iter()
                .position(|a| a.name.as_ref().is_some_and(|n| &*n.name == name))
        };
        let path_at = argument(&call.args, "iofilename", 0).map(|(i, _)| i);
        let format = text(by_name("format"));
        let (mut found, mut label) = (Found::default(), None);
        if let (Some(path), Some(i)) = (text(path_at), path_at) {
            found = self.look_up(&path, format.as_deref() == Some("mm"));
            if let Some(problem) = &found.problem {
                let range = call.args[i].value.range;
                self.report(
                    Severity::Warning,
                    codes::MISSING_FILE,
                    range,
                    problem.clone(),
                );
            }
            let suffix = if found.from_mtd { ".mtd" } else { "" };
            label = Some(format!("read: {path}{suffix}"));
        }
        let data_type = text(by_name("data_type")).or(found.meta.data_type.clone());
        let value_type = text(by_name("value_type")).or(found.meta.value_type.clone());
        let kind = match data_type.as_deref() {
            Some("frame") => ValueKind::Frame,
            Some("list") => ValueKind::List,
            Some("scalar") => match value_type.as_deref() {
                Some("int" | "integer") => ValueKind::Int,
                Some("boolean" | "bool") => ValueKind::Bool,
                Some("string") => ValueKind::String,
                Some("double") => ValueKind::Double,
                _ => ValueKind::Scalar,
            },
            _ => ValueKind::Matrix,
        };
        let mut info = ValueInfo::of(kind);
        if matches!(kind, ValueKind::Matrix | ValueKind::Frame) {
            let stated = |name: &str| {
                by_name(name)
                    .map(|i| values[i].extent())
                    .filter(|d| *d != Dim::Unknown)
            };
            let given = stated("rows").is_some() || stated("cols").is_some();
            let pick = |name: &str, meta: Option<u64>| {
                stated(name)
                    .or(meta.map(Dim::Known))
                    .unwrap_or(Dim::Unknown)
            };
            info.rows = pick("rows", found.meta.rows);
            info.cols = pick("cols", found.meta.cols);
            // The labels before the cells of such a file become a column of their own.
            if format
                .as_ref()
                .or(found.meta.format.as_ref())
                .is_some_and(|f| f == "libsvm")
            {
                info.cols = info.cols.plus(&Dim::Known(1));
            }
            let nnz = by_name("nnz")
                .and_then(|i| values[i].number())
                .or(found.meta.nnz.map(as_f64));
            let cells = info.ty().cells();
            info.sparsity = match (nnz, cells) {
                (Some(nnz), Some(cells)) if cells > 0.0 => Some((nnz / cells).clamp(0.0, 1.0)),
                _ => None,
            };
            if info.rows != Dim::Unknown || info.cols != Dim::Unknown {
                let label = match label {
                    Some(label) if !given => label,
                    _ => "read arguments".to_owned(),
                };
                info.origin = Some(Origin {
                    label: label.into(),
                    range: expr.range,
                    sizes: SizeNames::default(),
                });
            }
            if info.rows == Dim::Unknown || info.cols == Dim::Unknown {
                info.unsized_read = Some(expr.range);
            }
            self.compare_sizes(call, &values, &found);
        }
        Val::impure(info)
    }

    /// Arguments that contradict the metadata.
    fn compare_sizes(&mut self, call: &Call, values: &[ValueInfo], found: &Found) {
        for (name, meta) in [("rows", found.meta.rows), ("cols", found.meta.cols)] {
            let at = call
                .args
                .iter()
                .position(|a| a.name.as_ref().is_some_and(|n| &*n.name == name));
            let stated = at.and_then(|i| values[i].number()).and_then(as_size);
            if let (Some(i), Some(Dim::Known(stated)), Some(meta)) = (at, stated, meta)
                && stated != meta
            {
                let source = if found.from_mtd {
                    "the .mtd file"
                } else {
                    "the file's header"
                };
                let message = format!("{name}={stated} here, but {source} says {meta}");
                self.report(
                    Severity::Error,
                    codes::CONTRADICTING_FACT,
                    call.args[i].value.range,
                    message,
                );
            }
        }
    }

    fn look_up(&mut self, path: &str, wants_mm: bool) -> Found {
        // Other file systems are not ours to look into.
        if path.is_empty() || path.contains("://") || path.starts_with("hdfs:") {
            return Found::default();
        }
        let full = match &self.work_dir {
            Some(dir) => dir.join(path),
            None if Path::new(path).is_absolute() => PathBuf::from(path),
            None => return Found::default(),
        };
        let key = (full, wants_mm);
        if let Some(found) = self.reads.get(&key) {
            return found.clone();
        }
        let found = self.look(&key.0, path, wants_mm);
        self.reads.insert(key, found.clone());
        found
    }

    fn look(&self, full: &Path, path: &str, wants_mm: bool) -> Found {
        let mut mtd = OsString::from(full);
        mtd.push(".mtd");
        let mut found = Found::default();
        match self.files.read_prefix(Path::new(&mtd), MTD_BYTES) {
            Ok(bytes) => match meta::parse_mtd(Path::new(&format!("{path}.mtd")), &bytes) {
                Ok(meta) => {
                    found.from_mtd = meta.rows.is_some() || meta.cols.is_some();
                    found.meta = meta;
                }
                Err(error) => found.problem = Some(error.to_string()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => found.problem = Some(format!("{path}.mtd cannot be read: {error}")),
        }
        let prefix = match self.files.read_prefix(full, meta::BANNER.len()) {
            Ok(prefix) => prefix,
            // Several engines write a folder of parts.
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => return found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let message = format!(
                    "{path} does not exist (looked for {}); write the file or correct the path",
                    full.display()
                );
                found.problem.get_or_insert(message);
                return found;
            }
            Err(error) => {
                found
                    .problem
                    .get_or_insert(format!("{path} cannot be read: {error}"));
                return found;
            }
        };
        let is_mm = prefix.eq_ignore_ascii_case(meta::BANNER.as_bytes());
        let named_mm = full
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("mtx"));
        let other_format = found.meta.format.as_deref().is_some_and(|f| f != "mm");
        if !is_mm && (other_format || !(named_mm || wants_mm)) {
            return found;
        }
        let header = self
            .files
            .read_prefix(full, HEADER_BYTES)
            .map_err(|e| format!("{path} cannot be read: {e}"))
            .and_then(|bytes| {
                meta::parse_matrix_market(Path::new(path), &bytes).map_err(|e| e.to_string())
            });
        match header {
            Ok(header) => {
                for (what, mtd, own) in [
                    ("rows", found.meta.rows, header.rows),
                    ("columns", found.meta.cols, header.cols),
                ] {
                    if let (Some(mtd), Some(own)) = (mtd, own)
                        && mtd != own
                    {
                        found.problem.get_or_insert(format!(
                            "{path}.mtd says {mtd} {what}, the header of {path} says {own}"
                        ));
                    }
                }
                found.meta.rows = found.meta.rows.or(header.rows);
                found.meta.cols = found.meta.cols.or(header.cols);
                found.meta.nnz = found.meta.nnz.or(header.nnz);
                found.meta.data_type = found.meta.data_type.take().or(header.data_type);
                found.meta.value_type = found.meta.value_type.take().or(header.value_type);
            }
            Err(problem) => {
                found.problem.get_or_insert(problem);
            }
        }
        found
    }
}
