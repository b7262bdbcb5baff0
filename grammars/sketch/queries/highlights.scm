; Later patterns win.

(identifier) @variable

(call function: (identifier) @function.call)
((call function: (identifier) @keyword.operator)
  (#eq? @keyword.operator "contains"))

(abstraction name: (identifier) @function)
(rule name: (identifier) @constant)
(sketch name: (identifier) @function)
(sketch language: (identifier) @module)
(parameters parameter: (identifier) @variable.parameter)
(stage label: (identifier) @label)
(rules rule: (identifier) @constant)
(cost model: (identifier) @constant)
(limit unit: (identifier) @type)

(hole) @variable.builtin
(number) @number
(string) @string
(named_type) @type
(array_type element: (identifier) @type)
(comment) @comment

["import" "def" "rule" "sketch" "guide" "goal" "on" "using" "minimize" "within"] @keyword
["x" "sparse"] @type

[
  "^" "%*%" "%%" "%/%" "*" "/" "+" "-"
  "<" "<=" ">" ">=" "==" "!=" "&" "&&" "||" "|" "!" "="
] @operator

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":"] @punctuation.delimiter
