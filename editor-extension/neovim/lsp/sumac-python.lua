-- The language server's configuration for Python: hints, hovers, actions and diagnostics of expressions of NumPy, beside whatever other
-- servers a file has. Switch it off with vim.lsp.enable('sumac-python', false).
return {
  cmd = { 'sumac', 'lsp' },
  filetypes = { 'python' },
  root_markers = { 'sumac.toml', 'pyproject.toml', '.git' },
  init_options = { trusted = true, only = 'expressions' },
  capabilities = require('sumac').capabilities(),
  handlers = require('sumac').handlers(),
}
