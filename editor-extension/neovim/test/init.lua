-- Settings of the Neovim under test: the plugin, the server from the environment, nothing of the person's own.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fn.fnamemodify(here, ':p:h')))
vim.opt.runtimepath:prepend(assert(vim.env.SUMAC_E2E_RUNTIME, 'SUMAC_E2E_RUNTIME holds parser/ and queries/'))
package.path = vim.fn.fnamemodify(here, ':p') .. '?.lua;' .. package.path
vim.o.swapfile = false
vim.lsp.set_log_level('WARN')
for _, name in ipairs({ 'sumac', 'sumac-python' }) do
  vim.lsp.config(name, { cmd = { assert(vim.env.SUMAC_SERVER, 'SUMAC_SERVER names the server'), 'lsp' } })
end
vim.cmd('filetype plugin indent on')
vim.cmd('syntax on')
