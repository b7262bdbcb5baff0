-- What :Sumac acts on: the statement under the cursor, from its first column on, and nothing else.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local script = {
  '#@ X: 100000 x 50000, sparsity 0.0001',
  '#@ U: 100000 x 10',
  '#@ V: 50000 x 10',
  'X = read($X)',
  'U = read($U)',
  'V = read($V)',
  'for (it in 1:10) {',
  '  loss = sum((X - U %*% t(V))^2)',
  '  print(loss * it)',
  '}',
}
vim.cmd.edit(vim.fs.joinpath(t.folder({ ['loop.dml'] = script }), 'loop.dml'))
local bufnr = vim.api.nvim_get_current_buf()
t.client(bufnr)

local function hinted()
  local hint = t.hint(bufnr, 7)
  return hint and hint:find('✓', 1, true)
end

--- What a command says with the cursor in a line (from 1), at its first column.
local function said(command, line)
  local message
  local notify = vim.notify
  vim.notify = function(text)
    message = text
  end
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.cmd('Sumac ' .. command)
  wait('message', function()
    return message
  end)
  vim.notify = notify
  return message
end

step('a line above a statement with a suggestion has none', function()
  wait('hint', hinted, 60000)
  for _, command in ipairs({ 'apply', 'explain', 'alternatives', 'time' }) do
    local message = said(command, 7)
    assert(message:find('no suggestion', 1, true), message)
    same(script, t.lines(bufnr))
  end
end)

step('the first column of an indented statement is the statement', function()
  vim.api.nvim_win_set_cursor(0, { 8, 0 })
  vim.cmd('Sumac apply')
  wait('edited', function()
    return not vim.deep_equal(script, t.lines(bufnr))
  end)
  local text = table.concat(t.lines(bufnr), '\n')
  assert(not text:find('X - U %*% t(V)', 1, true), text)
  vim.cmd('silent undo')
  same(script, t.lines(bufnr))
end)

vim.cmd('silent! bwipeout!')
