; Later patterns win. A sketch and an abstraction see their own parameters.
(identifier) @local.reference

(sketch) @local.scope
(abstraction) @local.scope
(rule) @local.scope

(abstraction name: (identifier) @local.definition.function)
(rule name: (identifier) @local.definition.function)
(sketch name: (identifier) @local.definition.function)
(parameters parameter: (identifier) @local.definition.parameter)
