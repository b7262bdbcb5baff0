-- What the server is doing, for statuslines and for `:Sumac status`.
-- Mirrors editor-extension/vscode/src/status_text.ts.
local M = {}

-- Kinds of work that a person may want to know of, what counts most first.
local verbs = {
  { 'timing', 'timing' },
  { 'sketch', 'searching by a sketch' },
  { 'alternatives', 'comparing forms' },
  { 'search', 'searching' },
  { 'asserts', 'deciding asserts' },
  { 'index', 'reading the workspace' },
  { 'analysis', 'analysing' },
}

-- The state that each server told last, by the id of its client.
local told = {}

--- @param what string
local function verb_of(what)
  for _, verb in ipairs(verbs) do
    if verb[1] == what then
      return verb[2]
    end
  end
end

--- The handler of `sumac/statusChanged`.
function M.changed(_, status, ctx)
  told[ctx.client_id] = status
  vim.api.nvim_exec_autocmds('User', { pattern = 'SumacStatus', modeline = false, data = status })
  vim.cmd('redrawstatus')
end

--- One line for a statusline: empty without a server, `sumac` at rest, else what is done.
--- @return string
function M.line()
  local clients = vim.lsp.get_clients({ name = 'sumac' })
  if #clients == 0 then
    return ''
  end
  local count = {}
  for _, client in ipairs(clients) do
    for _, work in ipairs(told[client.id] and told[client.id].running or {}) do
      count[work.what] = (count[work.what] or 0) + 1
    end
  end
  for _, verb in ipairs(verbs) do
    local n = count[verb[1]]
    if n then
      return 'sumac: ' .. verb[2] .. (n > 1 and ' ' .. n or '')
    end
  end
  return 'sumac'
end

--- @param bytes integer
local function size(bytes)
  local units = { 'bytes', 'kB', 'MB', 'GB', 'TB' }
  local unit = 1
  while bytes >= 1024 and unit < #units do
    bytes, unit = bytes / 1024, unit + 1
  end
  return (unit == 1 and '%d %s' or '%.1f %s'):format(bytes, units[unit])
end

--- What `sumac/status` answered, in lines for a person.
function M.lines(status)
  local lines = {}
  for _, work in ipairs(status.running) do
    local verb = verb_of(work.what)
    if verb then
      local name = type(work.uri) == 'string' and ' ' .. vim.fs.basename(vim.uri_decode(work.uri)) or ''
      table.insert(lines, ('%s%s (%.1f s)'):format(verb, name, work.milliseconds / 1000))
    end
  end
  if #lines == 0 then
    table.insert(lines, 'nothing is running')
  end
  local remembered = status.remembered + status.restored
  table.insert(lines, ('%d blocks searched, %d remembered'):format(status.saturations, remembered))
  table.insert(lines, ('caches: %s of at most %s'):format(size(status.memory.cached), size(status.memory.limit)))
  return lines
end

return M
