-- The client's side of "Schedule with sketch …": the server says which sketches there are, the person chooses one or all of them, and the
-- server searches, runs and shows their loops.
local M = {}

--- The command that the light bulb and the lens run. Its arguments: document, line from 0, version.
--- @param command lsp.Command
--- @param context { client_id: integer }
function M.pick(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  local uri, line, version = unpack(command.arguments)
  local bufnr = vim.uri_to_bufnr(uri)
  local function complain(err)
    -- Whoever cancels the search knows that there is no result.
    if err and err.code ~= vim.lsp.protocol.ErrorCodes.RequestCancelled then
      vim.notify('Sumac: ' .. err.message, vim.log.levels.WARN)
    end
  end
  client:request('sumac/schedules', { uri = uri, line = line, version = version }, function(err, found)
    if err then
      complain(err)
      return
    end
    local function label(item)
      return ('%s (%s)'):format(item.title, item.detail)
    end
    vim.ui.select(found.items, { prompt = found.title, format_item = label, kind = 'sumac' }, function(item)
      if item then
        local arguments = { uri, line, version or vim.NIL, item.sketch }
        client:exec_cmd({ title = item.title, command = 'sumac.schedule', arguments = arguments }, { bufnr = bufnr }, complain)
      end
    end)
  end, bufnr)
end

return M
