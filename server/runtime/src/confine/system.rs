//! What the kernel refuses once a process is confined.

use std::path::PathBuf;

use super::Enforced;

#[cfg(target_os = "linux")]
pub(super) fn restrict(writable: &[PathBuf]) -> std::io::Result<Enforced> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
        RulesetStatus, Scope, path_beneath_rules,
    };
    const KNOWN: ABI = ABI::V6;
    let restricted = || -> Result<RulesetStatus, RulesetError> {
        let writes = AccessFs::from_write(KNOWN);
        let rules = Ruleset::default()
            .handle_access(writes)?
            .handle_access(AccessNet::from_all(KNOWN))?
            .scope(Scope::from_all(KNOWN))?
            .create()?
            .add_rules(path_beneath_rules(writable, writes))?;
        Ok(rules.restrict_self()?.ruleset)
    };
    match restricted().map_err(std::io::Error::other)? {
        RulesetStatus::NotEnforced => Ok(Enforced::ByUs),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => {
            Ok(Enforced::ByTheSystem)
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn restrict(_: &[PathBuf]) -> std::io::Result<Enforced> {
    Ok(Enforced::ByUs)
}
