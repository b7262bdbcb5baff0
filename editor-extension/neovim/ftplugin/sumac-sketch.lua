-- Comments of sketch files.
vim.bo.commentstring = '# %s'
vim.bo.comments = 'b:#'
vim.opt_local.iskeyword:append('.')
vim.b.undo_ftplugin = 'setlocal commentstring< comments< iskeyword<'

-- With a parser on the runtime path tree-sitter colours the sketch, else syntax/sumac-sketch.vim does.
if #vim.api.nvim_get_runtime_file('parser/sketch.so', false) > 0 then
  local ok, reason = pcall(vim.treesitter.start, 0, 'sketch')
  if not ok then
    vim.notify_once('Sumac: the tree-sitter parser cannot be used: ' .. tostring(reason), vim.log.levels.WARN)
  end
end
