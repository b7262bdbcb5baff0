" Highlighting of SystemDS scripts where no tree-sitter parser is installed.
if exists('b:current_syntax')
  finish
endif

syntax keyword systemdsConditional if else
syntax keyword systemdsRepeat for parfor while in
syntax keyword systemdsKeyword function return source as setwd externalFunction implemented ifdef
syntax keyword systemdsType matrix frame list tensor double integer int boolean string unknown
syntax keyword systemdsBoolean TRUE FALSE
syntax match systemdsNumber /\v<\d+\.?\d*([eE][+-]?\d+)?>/
syntax match systemdsArgument /\$\w\+/
syntax match systemdsFunction /\v<[[:alpha:]][[:alnum:]_.]*\ze\s*\(/
syntax match systemdsOperator /%\*%\|%\/%\|%%\|[-+*\/^<>=!&|]/
syntax region systemdsString start=/"/ skip=/\\./ end=/"/ oneline
syntax region systemdsString start=/'/ skip=/\\./ end=/'/ oneline
syntax match systemdsComment /#.*$/ contains=@Spell
syntax match systemdsFact /#@.*$/ contains=systemdsNumber,systemdsFactWord
syntax keyword systemdsFactWord sparsity assert sketch off contained
syntax region systemdsComment start=/\/\*/ end=/\*\// contains=@Spell

highlight default link systemdsConditional Conditional
highlight default link systemdsRepeat Repeat
highlight default link systemdsKeyword Keyword
highlight default link systemdsType Type
highlight default link systemdsBoolean Boolean
highlight default link systemdsNumber Number
highlight default link systemdsArgument Identifier
highlight default link systemdsFunction Function
highlight default link systemdsOperator Operator
highlight default link systemdsString String
highlight default link systemdsComment Comment
highlight default link systemdsFact SpecialComment
highlight default link systemdsFactWord Keyword

let b:current_syntax = 'systemds'
