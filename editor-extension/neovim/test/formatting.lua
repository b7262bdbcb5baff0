-- Formatting: a range, the whole buffer, and the line that is being typed.
local t = require('harness')
local step, same = t.step, t.same

local folder = t.folder({ ['script.dml'] = { 'x=1   # one', 'y=   2', 'print( x+y )' } })
vim.cmd.edit(vim.fs.joinpath(folder, 'script.dml'))
local bufnr = vim.api.nvim_get_current_buf()
local client = t.client(bufnr)

local function lines()
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

step('a range is formatted, and only that', function()
  vim.lsp.buf.format({ bufnr = bufnr, timeout_ms = 20000, range = { start = { 2, 0 }, ['end'] = { 2, 6 } } })
  same({ 'x=1   # one', 'y = 2', 'print( x+y )' }, lines())
end)

step('a buffer is formatted, comments and all', function()
  vim.lsp.buf.format({ bufnr = bufnr, timeout_ms = 20000 })
  same('print(x + y)', lines()[3])
  assert(lines()[1]:match('^x = 1 +# one$'), lines()[1])
end)

step('a typed brace puts its line where it belongs', function()
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { 'if (x > y) {', '  print(x)', '        }' })
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    position = { line = 5, character = 9 },
    ch = '}',
    options = { tabSize = 2, insertSpaces = true },
  }
  local answer = client:request_sync('textDocument/onTypeFormatting', params, 20000, bufnr)
  assert(answer and not answer.err, vim.inspect(answer))
  vim.lsp.util.apply_text_edits(answer.result, bufnr, client.offset_encoding)
  same('}', lines()[6])
end)

vim.cmd('silent! bwipeout!')
