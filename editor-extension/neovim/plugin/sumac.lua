-- Starts the language server for scripts and defines :Sumac. What is shown comes from the server.
if vim.g.loaded_sumac then
  return
end
vim.g.loaded_sumac = 1

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('Sumac needs Neovim 0.11 or later', vim.log.levels.ERROR)
  return
end

vim.treesitter.language.register('dml', 'systemds')
vim.treesitter.language.register('sketch', 'sumac-sketch')
vim.lsp.enable({ 'sumac', 'sumac-python' })
vim.lsp.commands['sumac.showReferences'] = function(command, context)
  require('sumac').show_references(command, context)
end

vim.lsp.commands['sumac.pickAlternative'] = function(command, context)
  require('sumac.alternatives').pick(command, context)
end

vim.lsp.commands['sumac.pickSchedule'] = function(command, context)
  require('sumac.schedules').pick(command, context)
end

-- Matrices and scalars look different, and sparse matrices stand out; a colour scheme may say otherwise.
for name, link in pairs({
  ['typemod.variable.matrix'] = 'Type',
  ['typemod.parameter.matrix'] = 'Type',
  ['mod.sparse'] = 'SpecialChar',
  ['typemod.variable.constant'] = 'Constant',
}) do
  vim.api.nvim_set_hl(0, ('@lsp.%s.systemds'):format(name), { link = link, default = true })
end

local group = vim.api.nvim_create_augroup('sumac', {})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and (client.name == 'sumac' or client.name == 'sumac-python') then
      require('sumac').attach(client, event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'sumac://*',
  callback = function(event)
    require('sumac.documents').read(event.buf, event.match)
  end,
})

vim.api.nvim_create_user_command('Sumac', function(command)
  require('sumac.commands').run(command.args)
end, {
  nargs = 1,
  desc = 'Time, explain or apply the suggestion for the current statement, compare others; apply all of the file; show how it is fused, what is running; restart the server',
  complete = function(lead)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, require('sumac.commands').names())
  end,
})
