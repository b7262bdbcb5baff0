-- The language server's configuration; change it with vim.lsp.config('sumac', { … }).
return {
  cmd = { 'sumac', 'lsp' },
  filetypes = { 'systemds', 'sumac-sketch' },
  root_markers = { 'sumac.toml', '.git' },
  -- Nothing is run without being asked for, and Neovim has no workspaces that are not trusted.
  init_options = { trusted = true, showsReferences = true, picksAlternatives = true, picksSchedules = true },
  capabilities = require('sumac').capabilities(),
  handlers = require('sumac').handlers(),
}
