" Highlighting of sketch files where no tree-sitter parser is installed.
if exists('b:current_syntax')
  finish
endif

syntax keyword sumacSketchKeyword import def rule sketch guide goal using minimize within on
syntax keyword sumacSketchContains contains
syntax keyword sumacSketchRules sum_product distribute factor aggregate associate transpose constants fuse
syntax keyword sumacSketchRules size nnz flops bytes time nodes rounds
syntax match sumacSketchType /\v(:\s*)@<=(scalar|matrix|vector|row|column|dense|sparse)>/
syntax match sumacSketchNumber /\v<\d+\.?\d*([eE][+-]?\d+)?>/
syntax match sumacSketchFunction /\v<[[:alpha:]_][[:alnum:]_.]*\ze\s*\(/
syntax match sumacSketchOperator /%\*%\|%\/%\|%%\|[-+*\/^<>=!&|]/
syntax match sumacSketchHole /?/
syntax region sumacSketchString start=/"/ end=/"/ oneline
syntax match sumacSketchComment /#.*$/ contains=@Spell

highlight default link sumacSketchKeyword Keyword
highlight default link sumacSketchContains Operator
highlight default link sumacSketchRules Constant
highlight default link sumacSketchType Type
highlight default link sumacSketchNumber Number
highlight default link sumacSketchFunction Function
highlight default link sumacSketchOperator Operator
highlight default link sumacSketchHole Special
highlight default link sumacSketchString String
highlight default link sumacSketchComment Comment

let b:current_syntax = 'sumac-sketch'
