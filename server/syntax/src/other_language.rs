//! Scripts of Intel's Device Modeling Language, whose files end in `.dml` too. They are none of ours to judge.

/// Whether a text is written in the other language of that ending: it says so with a version, such as `dml 1.4;`, in
/// front of everything but comments.
#[must_use]
pub fn is_other_language(text: &str) -> bool {
    let Some(rest) = behind_comments(text).strip_prefix("dml") else {
        return false;
    };
    let version = rest.trim_start();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let major = digits(version);
    let Some(minor) = version[major..].strip_prefix('.') else {
        return false;
    };
    let behind = minor[digits(minor)..].trim_start();
    version.len() < rest.len() && major > 0 && digits(minor) > 0 && behind.starts_with(';')
}

/// The text from its first token on; that language has `//` and `/* */` for comments.
fn behind_comments(text: &str) -> &str {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let behind = if rest.starts_with("//") {
            rest.find('\n').map(|end| &rest[end..])
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.find("*/").map(|end| &inside[end + 2..])
        } else {
            return rest;
        };
        match behind {
            Some(behind) => rest = behind.trim_start(),
            None => return "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_language_says_its_version_first() {
        for text in [
            "dml 1.4;\n\ndevice simple;\n",
            "// Copyright\n/*\n * more\n */\ndml 1.2 ;\n",
            "\u{feff}\r\n  dml\t1.4;",
        ] {
            assert!(is_other_language(text), "{text}");
        }
    }

    #[test]
    fn our_scripts_are_ours_whatever_they_name() {
        for text in [
            "",
            "dml = 1.4;",
            "dml(1.4);",
            "x = 1\ndml 1.4;",
            "# dml 1.4;\nx = 1",
            "dml",
            "dml 1",
            "dml 1.",
            "dml1.4;",
            "/* dml 1.4;",
            "dmlé 1.4;",
        ] {
            assert!(!is_other_language(text), "{text}");
        }
    }
}
