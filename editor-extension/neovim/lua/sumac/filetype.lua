-- What both languages set in their buffers: comments, names with dots, the indentation of `sumac fmt`, colours by tree-sitter where a parser is there.
local M = {}

--- Sets up the current buffer: `comments` as the option takes them, `language` as tree-sitter calls it.
function M.set_up(comments, language)
  vim.bo.commentstring = '# %s'
  vim.bo.comments = comments
  vim.opt_local.iskeyword:append('.')
  vim.bo.shiftwidth = 2
  vim.bo.softtabstop = 2
  vim.bo.expandtab = true
  vim.b.undo_ftplugin = 'setlocal commentstring< comments< iskeyword< shiftwidth< softtabstop< expandtab<'

  -- Without a parser on the runtime path the syntax file of the language colours the buffer.
  if #vim.api.nvim_get_runtime_file('parser/' .. language .. '.so', false) > 0 then
    local ok, reason = pcall(vim.treesitter.start, 0, language)
    if not ok then
      vim.notify_once('Sumac: the tree-sitter parser cannot be used: ' .. tostring(reason), vim.log.levels.WARN)
    end
  end
end

return M
