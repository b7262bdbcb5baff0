-- Sketch files: diagnostics, colours, completion, hover, going to definitions, renaming in every file.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local folder = t.folder({
  ['base.sketch'] = { '# A matrix and its transpose.', 'def gram(X) = t(X) %*% X' },
  ['mine.sketch'] = {
    'import "base.sketch"',
    '# Two sums become one.',
    'sketch together(X) {',
    '  guide sums: summ(? + ?) using factor',
    '  goal sum(X * gram(?)) using factor',
    '}',
  },
})
vim.cmd.edit(vim.fs.joinpath(folder, 'mine.sketch'))
local bufnr = vim.api.nvim_get_current_buf()
local client = t.client(bufnr)

local function position(line, column)
  return t.position(bufnr, line, column)
end

local function ask(method, params)
  return t.ask(bufnr, method, params)
end

step('a wrong operator in a sketch is marked, until it is put right', function()
  same('sumac-sketch', vim.bo[bufnr].filetype)
  local found = wait('diagnostic', function()
    local all = vim.diagnostic.get(bufnr)
    return #all > 0 and all
  end)
  assert(found[1].message:find('did you mean `sum`', 1, true), found[1].message)
  vim.api.nvim_buf_set_text(bufnr, 3, 14, 3, 18, { 'sum' })
  wait('no diagnostic', function()
    return #vim.diagnostic.get(bufnr) == 0
  end)
end)

step('parameters, operators and rules of a sketch have colours of their own', function()
  local function kind(line, column)
    local found = vim.lsp.semantic_tokens.get_at_pos(bufnr, line, column)
    return found and found[1] and found[1].type
  end
  wait('token', function()
    return kind(4, 11) == 'parameter'
  end)
  same('function', kind(4, 8))
  same('enumMember', kind(4, 32))
end)

step('completion in a sketch offers what may stand there', function()
  local function labels(line, column)
    local found = {}
    for _, item in ipairs(ask('textDocument/completion', position(line, column))) do
      found[item.label] = true
    end
    return found
  end
  local rules = labels(4, 31)
  assert(rules.distribute and not rules.sum, vim.inspect(rules))
  local operands = labels(4, 7)
  assert(operands.sum and operands.gram and operands.X and not operands.distribute, vim.inspect(operands))
end)

step('hover on a sketch says what it is for and what fits it', function()
  local text = ask('textDocument/hover', position(2, 9)).contents.value
  for _, part in ipairs({ 'Two sums become one.', 'guide sums', 'the cellwise product of', 'For example' }) do
    assert(text:find(part, 1, true), text)
  end
end)

step('an abstraction leads to its definition in another sketch file', function()
  vim.api.nvim_win_set_cursor(0, { 5, 16 })
  vim.lsp.buf.definition()
  wait('the other file', function()
    return vim.api.nvim_buf_get_name(0):match('base%.sketch$')
  end)
  same({ 2, 4 }, vim.api.nvim_win_get_cursor(0))
  vim.cmd('buffer ' .. bufnr)
end)

step('an abstraction is renamed in every sketch file', function()
  vim.api.nvim_win_set_cursor(0, { 5, 16 })
  vim.lsp.buf.rename('squared')
  wait('renamed', function()
    return t.lines(bufnr)[5]:find('squared(?)', 1, true)
  end)
  local other = vim.fn.bufnr(vim.fs.joinpath(folder, 'base.sketch'))
  same('def squared(X) = t(X) %*% X', t.lines(other)[2])
end)

vim.cmd('buffer ' .. bufnr)

step('a rule that does not hold is marked with values that show it', function()
  vim.api.nvim_buf_set_lines(bufnr, 1, 1, false, { 'rule halves: A * B = A + B' })
  local found = wait('diagnostic', function()
    local all = vim.diagnostic.get(bufnr)
    return #all > 0 and all
  end)
  assert(found[1].message:find('is not always', 1, true) and found[1].message:find('with A = ', 1, true), found[1].message)
  vim.api.nvim_buf_set_lines(bufnr, 1, 2, false, { 'rule halves:   A * B=B * A   # kept' })
  wait('no diagnostic', function()
    return #vim.diagnostic.get(bufnr) == 0
  end)
end)

step('a sketch file is laid out, comments and all', function()
  vim.lsp.buf.format({ bufnr = bufnr, async = false })
  same('rule halves: A * B = B * A # kept', t.lines(bufnr)[2])
end)

vim.cmd('silent! %bwipeout!')

-- On a statement.
local loss = {
  '#@ X: 20000 x 10000, sparsity 0.001',
  '#@ U: 20000 x 10',
  '#@ V: 10000 x 10',
  'X = read($X)',
  'U = read($U)',
  'V = read($V)',
  'loss = sum((X - U %*% t(V))^2)',
  'print(loss)',
}
local library = {
  'sketch expand(X) {',
  '  goal sum(X^2) - ? + ? using distribute minimize size',
  '}',
  'sketch far(X) {',
  '  guide apart: contains(X^2 - ? + ?) using distribute minimize size',
  '  goal contains(rowSums(?)) - ? using aggregate',
  '}',
}
folder = t.folder({ ['loss.dml'] = loss, ['mine.sketch'] = library })
vim.cmd.edit(vim.fs.joinpath(folder, 'loss.dml'))
bufnr = vim.api.nvim_get_current_buf()
client = t.client(bufnr)

--- Chooses the action of this title for the statement, as the person would.
local function choose(title)
  vim.api.nvim_set_current_buf(bufnr)
  vim.api.nvim_win_set_cursor(0, { t.find(bufnr, 'loss = ') + 1, 0 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == title
    end,
  })
end

step('a sketch of the workspace is an action on the statement, and writes the form that fits', function()
  choose('Optimize with sketch expand')
  -- What the form uses twice stands in a variable before it.
  wait('the form that fits', function()
    return vim.startswith(t.lines(bufnr)[t.find(bufnr, 'loss = ') + 1], 'loss = sum(X^2) - ')
  end)
  vim.cmd('silent undo')
  same(loss, t.lines(bufnr))
end)

step('a sketch that does not fit says which guide was not reached', function()
  local told
  local notify = vim.notify
  vim.notify = function(message, ...)
    if message:find('does not fit', 1, true) then
      told = message
    end
    return notify(message, ...)
  end
  local handler = vim.lsp.handlers['window/showMessage']
  vim.lsp.handlers['window/showMessage'] = function(err, params, context, config)
    told = params.message
    return handler(err, params, context, config)
  end
  choose('Optimize with sketch far')
  wait('the message', function()
    return told and told:find('the goal was not reached', 1, true)
  end)
  local shown = wait('the document beside', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local lines = t.lines(vim.api.nvim_win_get_buf(window))
      if lines[1] and lines[1]:find('does not fit', 1, true) then
        return table.concat(lines, '\n')
      end
    end
  end)
  assert(shown:find('guide apart: ', 1, true) and shown:find('^ missed', 1, true), shown)
  vim.notify = notify
  vim.lsp.handlers['window/showMessage'] = handler
  vim.cmd('silent! only')
  vim.cmd('buffer ' .. bufnr)
  same(loss, t.lines(bufnr))
end)

step('a lens on a sketch says where it fits, and shows the places', function()
  vim.cmd.edit(vim.fs.joinpath(folder, 'mine.sketch'))
  local sketch = vim.api.nvim_get_current_buf()
  wait('the lens', function()
    local lens = t.lens(sketch, 0)
    return lens and lens:find('fits 1 expression in this workspace', 1, true)
  end, 60000)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local list = t.locations_of_lens('the place')
  same(t.find(bufnr, 'loss = ') + 1, list[1].lnum)
  vim.cmd('cclose')
  vim.cmd('buffer ' .. bufnr)
end)

step('what sketches make of a statement is shown before one is chosen', function()
  local asked, document
  local select = vim.ui.select
  vim.ui.select = function(items, options, chosen)
    asked = vim.tbl_map(options.format_item, items)
    same('Choose a sketch for loss.dml:7', options.prompt)
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local text = table.concat(t.lines(vim.api.nvim_win_get_buf(window)), '\n')
      document = text:find('# What sketches make of', 1, true) and text or document
    end
    -- Nothing is written before one is chosen.
    same(loss, t.lines(bufnr))
    chosen(items[1], 1)
  end
  choose('Preview what sketches make of it')
  wait('the form that was chosen', function()
    local row = t.find(bufnr, 'loss = ')
    return row and vim.startswith(t.lines(bufnr)[row + 1], 'loss = sum(X^2) - ')
  end, 60000)
  vim.ui.select = select
  assert(asked[1]:find('expand(X): ', 1, true), asked[1])
  assert(document and document:find('## expand(X)', 1, true), document)
  vim.cmd('silent! only')
  vim.cmd('buffer ' .. bufnr)
  vim.cmd('silent undo')
  same(loss, t.lines(bufnr))
end)

step('an edit of a statement becomes a sketch above it', function()
  local row = t.find(bufnr, 'loss = ')
  vim.api.nvim_buf_set_lines(bufnr, row, row + 1, false, { 'loss = sum(X^2 - 2 * (X * (U %*% t(V))) + (U %*% t(V))^2)' })
  choose('Turn my edit into a sketch')
  wait('the sketch', function()
    return vim.startswith(t.lines(bufnr)[7], '# sum((X - U %*% t(V))^2) becomes ')
  end, 60000)
  assert(vim.startswith(t.lines(bufnr)[8], '#@ sketch loss_form'), t.lines(bufnr)[8])
  vim.cmd('silent undo')
  vim.cmd('silent undo')
  same(loss, t.lines(bufnr))
end)

step('a sketch is written from the suggested form', function()
  wait('hint', function()
    local hint = t.hint(bufnr, 6)
    return hint and hint:find('cheaper ✓', 1, true)
  end, 60000)
  choose('Write a sketch from this form')
  wait('the sketch', function()
    return vim.startswith(t.lines(bufnr)[8] or '', '#@ sketch loss_form')
  end, 60000)
  assert(vim.startswith(t.lines(bufnr)[7], '# sum((X - U %*% t(V))^2) becomes '), t.lines(bufnr)[7])
  vim.cmd('silent undo')
  same(loss, t.lines(bufnr))
end)

step('a pinned sketch makes the hint, and a pin that leads nowhere is marked', function()
  vim.api.nvim_buf_set_lines(bufnr, 6, 6, false, { '#@ sketch expand(X)' })
  wait('the hint of the sketch', function()
    local hint = t.hint(bufnr, 7)
    return hint and hint:find('sum((U %*% t(V))^2)', 1, true)
  end, 60000)
  vim.api.nvim_buf_set_lines(bufnr, 6, 7, false, { '#@ sketch far(X)' })
  wait('the mark at the pin', function()
    for _, found in ipairs(vim.diagnostic.get(bufnr)) do
      if found.lnum == 6 and found.message:find('the goal was not reached', 1, true) then
        return true
      end
    end
  end, 60000)
end)

step('a sketch is renamed with the pins in scripts, and leads to them', function()
  vim.api.nvim_win_set_cursor(0, { 7, 11 })
  local params = position(6, 11)
  params.context = { includeDeclaration = true }
  same(2, #ask('textDocument/references', params))
  vim.lsp.buf.rename('distant')
  wait('the pin', function()
    return t.lines(bufnr)[7] == '#@ sketch distant(X)'
  end)
  local other = vim.fn.bufnr(vim.fs.joinpath(folder, 'mine.sketch'))
  same('sketch distant(X) {', t.lines(other)[4])
  vim.lsp.buf.definition()
  wait('the sketch', function()
    return vim.api.nvim_buf_get_name(0):match('mine%.sketch$')
  end)
end)

vim.cmd('silent! %bwipeout!')
