-- The client's side of "Show 3 alternatives" and of "Preview what sketches make of it": the server says what there is to choose, the person chooses, and the
-- edit is applied if the script is still the one that it was made for.
local documents = require('sumac.documents')

local M = {}

local function tell(message, level)
  vim.notify('Sumac: ' .. message, level)
end

--- @param client vim.lsp.Client
--- @param bufnr integer
--- @param tick integer the buffer's when the forms were asked for
local function apply(client, bufnr, tick, edit)
  if not vim.api.nvim_buf_is_valid(bufnr) or vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
    tell('the script has changed since; ask again', vim.log.levels.WARN)
    return
  end
  vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
end

--- The command that the light bulb and the lens run. Its arguments: document, line from 0, version, whether by sketches.
--- @param command lsp.Command
--- @param context { client_id: integer }
function M.pick(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  local uri, line, version, sketches = unpack(command.arguments)
  local bufnr = vim.uri_to_bufnr(uri)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  client:request('sumac/alternatives', { uri = uri, line = line, version = version, sketches = sketches == true }, function(err, found)
    if err then
      -- Whoever cancels the search knows that there is no result.
      if err.code ~= vim.lsp.protocol.ErrorCodes.RequestCancelled then
        tell(err.message, vim.log.levels.WARN)
      end
      return
    end
    if #found.items == 0 then
      tell(found.message, vim.log.levels.INFO)
      return
    end
    -- The forms can be read beside before one of them is chosen.
    documents.show(found.document, false, function()
      vim.cmd.redraw()
      local function label(item)
        return ('%s (%s)'):format(item.title, item.detail)
      end
      vim.ui.select(found.items, { prompt = found.title, format_item = label, kind = 'sumac' }, function(item)
        if item then
          apply(client, bufnr, tick, item.edit)
        end
      end)
    end, client.id)
  end, bufnr)
end

return M
