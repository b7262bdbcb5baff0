//! What a client says of itself at `initialize`. Profiles of real editors are data: what these sent.

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// What `vscode-languageclient` sends for the extension.
const VSCODE: &str = include_str!("profiles/vscode.json");
/// What Neovim sends with the plugin.
const NEOVIM: &str = include_str!("profiles/neovim.json");

/// A kind of client.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// What people call it.
    pub(crate) name: String,
    /// Its capabilities.
    pub(crate) capabilities: Value,
    /// Its `initializationOptions`.
    pub(crate) options: Value,
}

impl Profile {
    /// A client that asks again when told so, and shows progress: what benchmarks use.
    pub(crate) fn refreshing() -> Self {
        Profile {
            name: "a client that refreshes".to_owned(),
            capabilities: json!({
                "workspace": {
                    "inlayHint": {"refreshSupport": true}, "codeLens": {"refreshSupport": true},
                },
                "window": {"workDoneProgress": true},
            }),
            options: Value::Null,
        }
    }

    /// The profiles of real editors.
    ///
    /// # Errors
    /// Their data is not in its form.
    pub(crate) fn of_editors() -> Result<[Self; 2]> {
        Ok([read(VSCODE)?, read(NEOVIM)?])
    }
}

fn read(text: &str) -> Result<Profile> {
    let value: Value = serde_json::from_str(text)?;
    let name = value["client"]
        .as_str()
        .context("a profile without `client`")?;
    anyhow::ensure!(
        value["capabilities"].is_object(),
        "{name} has no capabilities"
    );
    Ok(Profile {
        name: name.to_owned(),
        capabilities: value["capabilities"].clone(),
        options: value["initializationOptions"].clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editors_count_columns_each_in_its_own_way() {
        let counts = |profile: &Profile| {
            let offered = profile.capabilities.pointer("/general/positionEncodings");
            offered.and_then(|all| Some(all[0].as_str()?.to_owned()))
        };
        let [vscode, neovim] = Profile::of_editors().unwrap();
        assert_eq!(counts(&vscode).as_deref(), Some("utf-16"));
        assert_eq!(counts(&neovim).as_deref(), Some("utf-8"));
    }
}
