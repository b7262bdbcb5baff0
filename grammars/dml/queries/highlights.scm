; Later patterns win.

(identifier) @variable

(command_argument) @variable.parameter
(parameter name: (identifier) @variable.parameter)
(named_argument name: (identifier) @property)

(call function: (identifier) @function.call)
(call function: (qualified_name
  namespace: (identifier) @module
  name: (identifier) @function.call))
(source_statement alias: (identifier) @module)

((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "abs" "avg" "cbind" "ceil" "colMaxs" "colMeans" "colMins" "colSums" "cumsum" "diag" "exp" "floor"
    "ifelse" "length" "list" "log" "matrix" "max" "mean" "min" "ncol" "nrow" "outer" "ppred" "print"
    "rand" "rbind" "read" "rev" "round" "rowMaxs" "rowMeans" "rowMins" "rowSums" "sample" "seq" "sign"
    "solve" "sqrt" "stop" "sum" "t" "table" "trace" "write"))

((identifier) @function.builtin
  (#match? @function.builtin "^(as|is|lower|upper)\\."))

(function_definition name: (identifier) @function)
(external_function_definition name: (identifier) @function)

(value_type) @type.builtin
(data_type) @type

(integer) @number
(float) @number.float
[(true) (false)] @boolean
(string) @string
(escape_sequence) @string.escape

[
  "=" "<-" "+="
  "^" "%*%" "%%" "%/%" "*" "/" "+" "-"
  "<" "<=" ">" ">=" "==" "!="
  "!" "&" "&&" "|" "||"
] @operator

(range ":" @operator)

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";"] @punctuation.delimiter
"::" @punctuation.delimiter

["if" "else"] @keyword.conditional
["for" "parfor" "while" "in"] @keyword.repeat
["function" "externalFunction" "implemented"] @keyword.function
"return" @keyword.return
["source" "setwd" "as"] @keyword.import
"ifdef" @keyword

(comment) @comment
(fact) @comment.documentation

; What the language passes over.
(skipped) @error
