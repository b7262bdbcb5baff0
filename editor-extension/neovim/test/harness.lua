-- What the tests share: steps that are counted, waiting for a condition, and reading what Neovim draws.
local M = { passed = 0, failed = 0, failures = {} }

--- print() goes through the message area and loses newlines there.
function M.say(text)
  io.stdout:write(text, '\n')
  io.stdout:flush()
end

--- Waits until `probe` answers with something true, and returns that.
function M.wait(what, probe, milliseconds)
  local last
  local ok = vim.wait(milliseconds or 20000, function()
    last = probe()
    return last and true or false
  end, 20)
  assert(ok, 'not in time: ' .. what)
  return last
end

function M.step(title, act)
  local ok, reason = xpcall(act, debug.traceback)
  if ok then
    M.passed = M.passed + 1
    M.say('ok      ' .. title)
  else
    M.failed = M.failed + 1
    table.insert(M.failures, 'FAILED  ' .. title .. '\n' .. vim.split(tostring(reason), '\nstack traceback')[1])
    M.say('FAILED  ' .. title .. '\n' .. tostring(reason))
    M.say('buffer:\n' .. table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'))
  end
end

function M.same(want, got)
  assert(vim.deep_equal(want, got), ('want %s\ngot %s'):format(vim.inspect(want), vim.inspect(got)))
end

--- Writes the files (name to lines) into a new folder and returns its path.
function M.folder(files)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  for name, lines in pairs(files) do
    vim.fn.writefile(lines, vim.fs.joinpath(folder, name))
  end
  return folder
end

--- Texts drawn by the namespaces whose name matches, as { line (from 0), text }, in the order of the lines.
function M.drawn(bufnr, namespace)
  vim.cmd('redraw!') -- hints are placed when the screen is drawn
  local found = {}
  for name, id in pairs(vim.api.nvim_get_namespaces()) do
    if name:match(namespace) then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, id, 0, -1, { details = true })) do
        local text = {}
        for _, chunk in ipairs(mark[4].virt_text or {}) do
          table.insert(text, chunk[1])
        end
        for _, line in ipairs(mark[4].virt_lines or {}) do
          for _, chunk in ipairs(line) do
            table.insert(text, chunk[1])
          end
        end
        table.insert(found, { mark[2], table.concat(text) })
      end
    end
  end
  table.sort(found, function(a, b)
    return a[1] < b[1]
  end)
  return found
end

--- The text drawn by such a namespace in one line (from 0), or nil.
function M.drawn_at(bufnr, namespace, line)
  for _, mark in ipairs(M.drawn(bufnr, namespace)) do
    if mark[1] == line and mark[2] ~= '' then
      return mark[2]
    end
  end
end

function M.hint(bufnr, line)
  return M.drawn_at(bufnr, 'inlayhint', line)
end

function M.lens(bufnr, line)
  return M.drawn_at(bufnr, 'codelens', line)
end

function M.lines(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

--- The line number (from 0) of the first line that begins with `start`.
function M.find(bufnr, start)
  for number, line in ipairs(M.lines(bufnr)) do
    if vim.startswith(line, start) then
      return number - 1
    end
  end
  error(('no line begins with "%s"'):format(start))
end

--- Waits for the attached client.
function M.client(bufnr)
  return M.wait('the server is attached', function()
    local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'sumac' })[1]
    return client and client.initialized and client
  end)
end

--- A place in a buffer, as requests name it.
function M.position(bufnr, line, column)
  return { textDocument = vim.lsp.util.make_text_document_params(bufnr), position = { line = line, character = column } }
end

--- The answer of the server to a request about a buffer.
function M.ask(bufnr, method, params)
  local answer = M.client(bufnr):request_sync(method, params, 20000, bufnr)
  assert(answer and not answer.err, vim.inspect(answer))
  return answer.result
end

--- What a lens under the cursor puts into the list of locations. The list is emptied first: one that an
--- earlier step left is no answer.
function M.locations_of_lens(what)
  vim.fn.setqflist({}, 'r')
  -- A newer answer may be under way: until it is there, Neovim knows of no lens in the line.
  local tried = 0
  return M.wait(what, function()
    local items = vim.fn.getqflist()
    if #items == 0 and tried % 50 == 0 then
      vim.lsp.codelens.run()
    end
    tried = tried + 1
    return #items > 0 and items
  end)
end

--- Closes floating windows.
function M.close_floats()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      vim.api.nvim_win_close(window, true)
    end
  end
end

return M
