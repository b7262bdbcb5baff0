-- Python beside DML: hints, hovers, diagnostics and actions of NumPy's expressions, from a server of its own.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local model = {
  'import numpy as np',
  '',
  '',
  'def sandwich(X, w):',
  '    """X : array of shape (n, d); w : (n,)"""',
  '    meat = X.T @ np.diag(w) @ X',
  '    return meat',
  '',
  '',
  'def loss(y, p):',
  '    #@ y: n',
  '    #@ p: n x 1',
  '    return ((y - p) ** 2).mean()',
}
vim.cmd.edit(vim.fs.joinpath(t.folder({ ['model.py'] = model }), 'model.py'))
local bufnr = vim.api.nvim_get_current_buf()

local function client()
  return vim.lsp.get_clients({ bufnr = bufnr, name = 'sumac-python' })[1]
end

step('a file of Python gets the server for Python and no other of ours', function()
  same('python', vim.bo[bufnr].filetype)
  wait('client', client)
  same(0, #vim.lsp.get_clients({ bufnr = bufnr, name = 'sumac' }))
  same(nil, client().server_capabilities.documentFormattingProvider)
  same(nil, client().server_capabilities.completionProvider)
end)

step('the cheaper form stands behind its statement', function()
  wait('hint', function()
    local hint = t.hint(bufnr, 5)
    return hint and hint:find('⇒ (X.T * w) @ X', 1, true) and hint:find('cheaper .*✓')
  end, 60000)
end)

step('an accidental broadcast is a warning', function()
  local found = wait('diagnostic', function()
    return vim.diagnostic.get(bufnr, { lnum = 12 })[1]
  end, 30000)
  same('accidental-broadcast', found.code)
end)

step('the action writes the form', function()
  vim.api.nvim_win_set_cursor(0, { 6, 14 })
  vim.lsp.buf.code_action({
    filter = function(action)
      return action.title:find('(X.T * w) @ X', 1, true) ~= nil
    end,
    apply = true,
  })
  wait('edited', function()
    return vim.api.nvim_buf_get_lines(bufnr, 5, 6, false)[1] == '    meat = (X.T * w) @ X'
  end)
end)
