//! What the commands are called.

/// Times a statement as written and as suggested.
pub const TIME: &str = "sumac.time";
/// Shows the proof of a suggestion.
pub const EXPLAIN: &str = "sumac.explain";
/// Shows how the operators of a block are fused.
pub const FUSION: &str = "sumac.fusion";
/// Applies a suggestion.
pub const APPLY: &str = "sumac.apply";
/// Applies all suggestions of a document, once the person has seen what that changes.
pub const APPLY_ALL: &str = "sumac.applyAll";
/// Shows the forms of a statement side by side.
pub const ALTERNATIVES: &str = "sumac.alternatives";

/// Optimizes a statement by way of a sketch.
pub const SKETCH: &str = "sumac.sketch";
/// Finds and times loop nests for a product.
pub const SCHEDULE: &str = "sumac.schedule";

/// Says why a statement has no suggestion.
pub const WHY_NONE: &str = "sumac.whyNoSuggestion";

/// All commands.
pub const ALL: [&str; 9] = [
    TIME,
    EXPLAIN,
    FUSION,
    APPLY,
    APPLY_ALL,
    ALTERNATIVES,
    SKETCH,
    SCHEDULE,
    WHY_NONE,
];

/// A command of the client: asks by `sumac/alternatives`, and lets the person choose.
pub const PICK_ALTERNATIVE: &str = "sumac.pickAlternative";
/// A command of the client: asks by `sumac/schedules`, and lets the person choose.
pub const PICK_SCHEDULE: &str = "sumac.pickSchedule";
