//! Finding interpreters in folders that are made up.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

/// A program at a path, and the folders above it.
fn program(path: &Path) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_owned()
}

#[test]
fn the_first_place_that_has_one_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let project = at("project");
    let start = at("project/src/deep");
    std::fs::create_dir_all(&start).unwrap();
    std::fs::create_dir(project.join(".git")).unwrap();
    // Above the repository, so none of its business.
    program(&at(".venv/bin/python"));
    let mut around = Surroundings {
        path: Some(env::join_paths([at("empty"), at("bin")]).unwrap()),
        ..Surroundings::default()
    };
    let none = around.find(None, &start, true).unwrap_err();
    assert!(
        matches!(&none, NoPython::Nowhere { looked, passed_over: None } if looked.len() == 4),
        "{none}"
    );
    assert!(none.to_string().contains("VIRTUAL_ENV"), "{none}");

    let found = |around: &Surroundings, trusts| around.find(None, &start, trusts).unwrap();
    let only_python = program(&at("bin/python"));
    assert_eq!(found(&around, true).path, only_python);
    let in_path = program(&at("bin/python3"));
    assert_eq!(found(&around, true).path, in_path);
    assert_eq!(found(&around, true).found_by, "python3 in PATH");

    let conda = program(&at("conda/bin/python"));
    around.conda_prefix = Some(at("conda").into());
    assert_eq!(found(&around, true).path, conda);
    assert_eq!(found(&around, true).found_by, "CONDA_PREFIX");

    let own = program(&project.join("venv/bin/python3"));
    assert_eq!(found(&around, true).path, own);
    assert_eq!(
        found(&around, true).found_by,
        format!("venv in {}", project.display())
    );
    // Nobody trusts the workspace: its own is left alone, and that is said.
    let careful = found(&around, false);
    assert_eq!(careful.path, conda);
    assert_eq!(careful.passed_over, Some(project.join("venv")));

    let nearer = program(&at("project/src/.venv/bin/python"));
    assert_eq!(found(&around, true).path, nearer);

    let active = program(&at("active/bin/python"));
    around.virtual_env = Some(at("active").into());
    assert_eq!(found(&around, false).path, active);
    assert_eq!(found(&around, false).found_by, "VIRTUAL_ENV");
    // An environment that was deleted meanwhile.
    around.virtual_env = Some(at("gone").into());
    assert_eq!(found(&around, true).path, nearer);
    around.virtual_env = Some("active".into());
    assert_eq!(found(&around, true).path, nearer);
}

#[test]
fn an_environment_of_the_workspace_is_named_where_nothing_else_is_there() {
    let folder = tempfile::tempdir().unwrap();
    program(&folder.path().join(".venv/bin/python"));
    let none = Surroundings::default().find(None, folder.path(), false);
    let none = none.unwrap_err();
    assert!(
        matches!(&none, NoPython::Nowhere { passed_over: Some(path), .. } if path.ends_with(".venv")),
        "{none}"
    );
    assert!(none.to_string().contains("trust the workspace"), "{none}");
    // In no repository, folders above say nothing.
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    let below = Surroundings::default().find(None, &below, true);
    assert!(below.is_err(), "{below:?}");
}

#[test]
fn what_was_chosen_is_taken_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let python = program(&at("env/bin/python3"));
    let named = program(&at("bin/python3.12"));
    program(&at("bin/python3"));
    std::fs::write(at("text"), "").unwrap();
    std::fs::create_dir(at("nothing")).unwrap();
    let around = Surroundings {
        path: Some(at("bin").into()),
        home: Some(folder.path().to_owned()),
        ..Surroundings::default()
    };
    let found = |chosen: &Path, trusts| around.find(Some(chosen), folder.path(), trusts);
    for (chosen, path) in [
        (python.clone(), &python),
        (at("env"), &python),
        ("~/env".into(), &python),
        ("~/env/bin/python3".into(), &python),
        ("python3.12".into(), &named),
    ] {
        let interpreter = found(&chosen, false).unwrap();
        assert_eq!(&interpreter.path, path);
        assert_eq!(interpreter.found_by, "the setting");
    }
    assert_eq!(
        found(Path::new("./env"), true).unwrap().path,
        at("./env/bin/python3")
    );
    for (chosen, reason) in [
        (at("text"), "no program"),
        (at("gone"), "no such file"),
        (at("nothing"), "has no Python"),
        ("python3.99".into(), "search path"),
        ("env/bin/python3".into(), "not trusted"),
        ("./python3.12".into(), "not trusted"),
        ("../x".into(), "not trusted"),
    ] {
        let error = found(&chosen, false).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    // An empty setting is none.
    assert_eq!(found(Path::new(""), false).unwrap().path, at("bin/python3"));
}

#[test]
fn the_current_folder_is_no_part_of_the_search_path() {
    let around = Surroundings {
        path: Some(":.:bin:./bin".into()),
        ..Surroundings::default()
    };
    assert_eq!(around.in_path("python3"), None);
}
