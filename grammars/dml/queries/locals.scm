; Only a function opens a scope: a variable assigned inside a loop or a branch lives on behind it.
(program) @local.scope
(function_definition) @local.scope

(function_definition name: (identifier) @local.definition.function)
(external_function_definition name: (identifier) @local.definition.function)
(parameter name: (identifier) @local.definition.parameter)
(assignment target: (identifier) @local.definition.var)
(multiple_assignment target: (identifier) @local.definition.var)
(for_statement variable: (identifier) @local.definition.var)
(parfor_statement variable: (identifier) @local.definition.var)
(source_statement alias: (identifier) @local.definition.namespace)

(expression/identifier) @local.reference
(call function: (identifier) @local.reference)
(index_expression operand: (identifier) @local.reference)
