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
  return { textDocument = vim.lsp.util.make_text_document_params(bufnr), position = { line = line, character = column } }
end

local function ask(method, params)
  local answer = client:request_sync(method, params, 20000, bufnr)
  assert(answer and not answer.err, vim.inspect(answer))
  return answer.result
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

vim.cmd('silent! %bwipeout!')
