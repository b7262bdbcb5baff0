-- Comments and highlighting of scripts.
vim.bo.commentstring = '# %s'
vim.bo.comments = 'b:#@,b:#'
vim.opt_local.iskeyword:append('.')
vim.b.undo_ftplugin = 'setlocal commentstring< comments< iskeyword<'

-- With a parser on the runtime path tree-sitter colours the script, else syntax/systemds.vim does.
if #vim.api.nvim_get_runtime_file('parser/dml.so', false) > 0 then
  local ok, reason = pcall(vim.treesitter.start, 0, 'dml')
  if not ok then
    vim.notify_once('Sumac: the tree-sitter parser cannot be used: ' .. tostring(reason), vim.log.levels.WARN)
  end
end
