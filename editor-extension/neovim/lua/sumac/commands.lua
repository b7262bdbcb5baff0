-- :Sumac time|explain|fusion|schedule|apply|apply-all|alternatives|status|restart. Each finds what the server offers for the cursor's statement and does what
-- choosing it would do; nothing is decided here.
local M = {}

--- @param message string
local function complain(message)
  vim.notify('Sumac: ' .. message, vim.log.levels.WARN)
end

--- Runs a command of the server and shows its error, if there is one. `done` is called at its end.
local function execute(client, command, bufnr, done)
  client:exec_cmd(command, { bufnr = bufnr }, function(err)
    if err then
      complain(err.message)
    end
    if done then
      done()
    end
  end)
end

--- Asks the server and passes on the answer, unless it is an error or the buffer has changed meanwhile.
local function request(client, method, params, bufnr, act)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  client:request(method, params, function(err, result)
    if err then
      complain(err.message)
    elseif vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      act(result or {})
    end
  end, bufnr)
end

local function document(bufnr)
  return vim.lsp.util.make_text_document_params(bufnr)
end

--- @param name string command of the server
--- @param title string what the action is called when it is no command
local function code_action(client, bufnr, name, title, missing)
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {}, triggerKind = vim.lsp.protocol.CodeActionTriggerKind.Invoked }
  local function run(action)
    if action.edit then
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
    end
    local command = type(action.command) == 'string' and action or action.command
    if command then
      execute(client, command, bufnr)
    end
  end
  local function command_of(action)
    return type(action.command) == 'table' and action.command.command or action.command
  end
  request(client, 'textDocument/codeAction', params, bufnr, function(actions)
    local chosen
    for _, action in ipairs(actions) do
      -- A title may say more behind: which lines are rewritten.
      if command_of(action) == name or vim.startswith(action.title, title) then
        chosen = action
        break
      end
    end
    if not chosen then
      complain(missing)
    elseif chosen.edit or chosen.command then
      run(chosen)
    else
      request(client, 'codeAction/resolve', chosen, bufnr, run)
    end
  end)
end

local commands = {}

function commands.time(client, bufnr)
  local position = vim.lsp.util.make_position_params(0, client.offset_encoding).position
  local arguments = { vim.uri_from_bufnr(bufnr), position }
  execute(client, { title = 'Time it', command = 'sumac.time', arguments = arguments }, bufnr)
end

function commands.explain(client, bufnr)
  code_action(client, bufnr, 'sumac.explain', 'Explain, step by step', 'there is no suggestion to explain in this line')
end

function commands.why(client, bufnr)
  code_action(client, bufnr, 'sumac.whyNoSuggestion', 'Why no suggestion', 'no statement in this line was searched without a result')
end

function commands.fusion(client, bufnr)
  code_action(client, bufnr, 'sumac.fusion', 'Show how it is fused', 'there is nothing to fuse in this line')
end

function commands.alternatives(client, bufnr)
  local missing = 'there is no suggestion with alternatives in this line'
  code_action(client, bufnr, 'sumac.pickAlternative', 'Show 3 alternatives', missing)
end

function commands.schedule(client, bufnr)
  local missing = 'there is no product of dense matrices with known sizes in this line'
  code_action(client, bufnr, 'sumac.pickSchedule', 'Schedule with sketch …', missing)
end

function commands.status(client, bufnr)
  client:request('sumac/status', vim.NIL, function(err, status)
    if err then
      complain(err.message)
    else
      vim.notify('Sumac: ' .. table.concat(require('sumac.status').lines(status), '\n'), vim.log.levels.INFO)
    end
  end, bufnr)
end

function commands.apply(client, bufnr)
  code_action(client, bufnr, 'sumac.apply', 'Apply optimized form', 'there is no suggestion to apply in this line')
end

--- Applies all suggestions of the buffer. The server shows what that changes, and asks; then the cursor is where it was.
commands['apply-all'] = function(client, bufnr, line)
  local arguments = { vim.uri_from_bufnr(bufnr), line }
  local window = vim.api.nvim_get_current_win()
  execute(client, { title = 'Apply all suggestions', command = 'sumac.applyAll', arguments = arguments }, bufnr, function()
    if vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == bufnr then
      vim.api.nvim_set_current_win(window)
    end
  end)
end

local function restart()
  local waiting = vim.lsp.get_clients({ name = 'sumac' })
  for _, client in ipairs(waiting) do
    client:stop()
  end
  local function start()
    for _, client in ipairs(waiting) do
      if not client:is_stopped() then
        vim.defer_fn(start, 50)
        return
      end
    end
    vim.lsp.enable('sumac')
    -- Before Neovim has entered its main loop, enabling does not look at the buffers that are there already.
    vim.cmd('silent! doautoall <nomodeline> nvim.lsp.enable FileType')
  end
  start()
end

--- The names that :Sumac knows.
function M.names()
  local names = vim.tbl_keys(commands)
  table.insert(names, 'restart')
  table.sort(names)
  return names
end

--- @param name string
function M.run(name)
  if name == 'restart' then
    restart()
    return
  end
  local command = commands[name]
  if not command then
    complain(('no command "%s"; there are %s'):format(name, table.concat(M.names(), ', ')))
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ name = 'sumac', bufnr = bufnr })[1]
  if not client then
    complain('the language server is not attached to this buffer; see :checkhealth sumac')
    return
  end
  command(client, bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
end

return M
