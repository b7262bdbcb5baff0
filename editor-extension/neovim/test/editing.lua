-- What the editor shows and offers while a script is written: colours, folds, selections, completion, signatures,
-- shapes, references.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local script = {
  '#@ X: 1000 x 500, sparsity 0.001',
  '#@ w: 500 x 1',
  'X = read($X)',
  'w = read($w)',
  '# Scales a matrix.',
  'scaled = function(Matrix[Double] A, Double by = 2) return (Matrix[Double] B) {',
  '  # the result',
  '  B = A * by',
  '}',
  'p = X %*% w',
  'q = scaled(p)',
  'print(sum(q))',
}
local folder = t.folder({ ['script.dml'] = script })
vim.cmd.edit(vim.fs.joinpath(folder, 'script.dml'))
local bufnr = vim.api.nvim_get_current_buf()
local client = t.client(bufnr)

local function position(line, column)
  return t.position(bufnr, line, column)
end

local function ask(method, params)
  return t.ask(bufnr, method, params)
end

--- The token drawn at a place: its kind and its modifiers.
local function token(line, column)
  local found = vim.lsp.semantic_tokens.get_at_pos(bufnr, line, column)
  return found and found[1]
end

step('matrices, sparse ones among them, and scalars have colours of their own', function()
  local line = t.find(bufnr, 'p = ')
  local sparse = wait('token', function()
    return token(line, 4)
  end)
  same('variable', sparse.type)
  same({ matrix = true, sparse = true }, sparse.modifiers)
  same({ matrix = true, modification = true }, token(line, 0).modifiers)
  same('parameter', token(t.find(bufnr, '  B = '), 6).type)
  same('Type', vim.api.nvim_get_hl(0, { name = '@lsp.typemod.variable.matrix.systemds' }).link)
  same('SpecialChar', vim.api.nvim_get_hl(0, { name = '@lsp.mod.sparse.systemds' }).link)
end)

step('colours follow an edit, asked for as a difference', function()
  local asked = {}
  local request = client.request
  client.request = function(self, method, ...)
    asked[method] = true
    return request(self, method, ...)
  end
  vim.api.nvim_buf_set_lines(bufnr, 0, 1, false, { '#@ X: 1000 x 500' })
  local line = t.find(bufnr, 'p = ')
  wait('a dense matrix', function()
    local found = token(line, 4)
    return found and not found.modifiers.sparse and found.modifiers.matrix
  end)
  client.request = request
  assert(asked['textDocument/semanticTokens/full/delta'], vim.inspect(asked))
  vim.cmd('silent undo')
end)

step('a function folds, and its closing brace stays', function()
  vim.wo.foldmethod = 'expr'
  vim.wo.foldexpr = 'v:lua.vim.lsp.foldexpr()'
  local head = t.find(bufnr, 'scaled = ') + 1
  wait('fold', function()
    vim.cmd('normal! zx')
    return vim.fn.foldlevel(head + 1) == 1
  end)
  same(0, vim.fn.foldlevel(head + 3))
  vim.api.nvim_win_set_cursor(0, { head + 1, 0 })
  vim.cmd('normal! zc')
  same({ head, head + 2 }, { vim.fn.foldclosed(head), vim.fn.foldclosedend(head) })
  vim.wo.foldmethod = 'manual'
  vim.cmd('normal! zE')
end)

step('a selection grows from the word to the file', function()
  local line = t.find(bufnr, 'print')
  local chain = ask('textDocument/selectionRange', {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    positions = { { line = line, character = 10 } },
  })[1]
  local texts = {}
  while chain do
    local range = chain.range
    if range.start.line == range['end'].line then
      table.insert(texts, t.lines(bufnr)[line + 1]:sub(range.start.character + 1, range['end'].character))
    end
    chain = chain.parent
  end
  same({ 'q', 'sum(q)', 'print(sum(q))' }, texts)
end)

step('completion writes a function with its dots and its parentheses', function()
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { 'r = as.sc' })
  local line = t.find(bufnr, 'r = ')
  local result = ask('textDocument/completion', position(line, 9))
  local item = vim.iter(result.items or result):find(function(item)
    return item.label == 'as.scalar'
  end)
  assert(item, 'as.scalar is offered')
  same({ line = line, character = 4 }, item.textEdit.range.start)
  local resolved = ask('completionItem/resolve', item)
  assert(resolved.documentation.value:find('as.scalar(', 1, true), vim.inspect(resolved))

  -- What Neovim does when the item is accepted.
  local range = item.textEdit.range
  vim.api.nvim_buf_set_text(bufnr, line, range.start.character, line, range['end'].character, { '' })
  vim.wo.virtualedit = 'onemore'
  vim.api.nvim_win_set_cursor(0, { line + 1, range.start.character })
  vim.snippet.expand(item.textEdit.newText)
  vim.wo.virtualedit = ''
  same('r = as.scalar()', t.lines(bufnr)[line + 1])
  vim.snippet.stop()
  vim.cmd('stopinsert')
  vim.api.nvim_buf_set_lines(bufnr, line, line + 1, false, {})
end)

step('signature help marks the parameter at the cursor', function()
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { 'r = scaled(p, ' })
  local line = t.find(bufnr, 'r = ')
  local help = ask('textDocument/signatureHelp', position(line, 14))
  same('scaled(Matrix[Double] A, Double by = 2) return (Matrix[Double] B)', help.signatures[1].label)
  same(1, help.signatures[1].activeParameter)
  vim.api.nvim_win_set_cursor(0, { line + 1, 14 })
  vim.lsp.buf.signature_help()
  local text = wait('window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        return table.concat(t.lines(vim.api.nvim_win_get_buf(window)), '\n')
      end
    end
  end)
  t.close_floats()
  assert(text:find('Double by = 2', 1, true), text)
  vim.api.nvim_buf_set_lines(bufnr, line, line + 1, false, {})
end)

step('hover of a builtin says what it does', function()
  local hover = ask('textDocument/hover', position(t.find(bufnr, 'print'), 7))
  assert(hover.contents.value:find('sum(X: matrix)', 1, true), hover.contents.value)
end)

step('shapes stand behind assignments once they are switched on', function()
  local line = t.find(bufnr, 'p = ')
  assert(not t.hint(bufnr, line), 'no shape before')
  client.settings = { sumac = { inlayHints = { shapes = true }, codeLens = { references = true } } }
  client:notify('workspace/didChangeConfiguration', { settings = client.settings })
  local hint = wait('shape', function()
    return t.hint(bufnr, line)
  end)
  assert(hint:find(': 1000 x 1', 1, true), hint)
end)

step('the number of references stands above a function once it is switched on', function()
  local line = t.find(bufnr, 'scaled = ')
  wait('lens', function()
    local lens = t.lens(bufnr, line)
    return lens and lens:find('1 reference', 1, true)
  end)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  local list = t.locations_of_lens('list of references')
  same(t.find(bufnr, 'q = ') + 1, list[1].lnum)
  vim.cmd('cclose')
end)

vim.cmd('silent! bwipeout!')
