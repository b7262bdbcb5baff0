-- Finding one's way in Neovim, through the scripts of a project that source each other.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local project = vim.fs.joinpath(here, '../../../fixtures/workspace')
local folder = vim.fn.tempname()
vim.fn.mkdir(vim.fs.joinpath(folder, 'lib'), 'p')
vim.fn.mkdir(vim.fs.joinpath(folder, '.git'))
for _, name in ipairs({ 'als.dml', 'report.dml', 'lib/losses.dml', 'lib/updates.dml' }) do
  vim.fn.writefile(vim.fn.readfile(vim.fs.joinpath(project, name)), vim.fs.joinpath(folder, name))
end

local function open(name)
  vim.cmd.edit(vim.fs.joinpath(folder, name))
  local bufnr = vim.api.nvim_get_current_buf()
  t.client(bufnr)
  return bufnr
end

--- Puts the cursor on the first place of `text` in the buffer; `inside` is a part of it.
local function cursor(text, inside)
  for number, line in ipairs(t.lines(0)) do
    local start = line:find(text, 1, true)
    if start then
      local at = inside and text:find(inside, 1, true) or 1
      vim.api.nvim_win_set_cursor(0, { number, start + at - 2 })
      return
    end
  end
  error(('"%s" is not in the buffer'):format(text))
end

--- Where the cursor is: the file's name and the line from there on.
local function place()
  local at = vim.api.nvim_win_get_cursor(0)
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':t'), vim.api.nvim_get_current_line():sub(at[2] + 1)
end

local function arrives(file, text)
  wait(('the cursor is at "%s" of %s'):format(text, file), function()
    local name, line = place()
    return name == file and vim.startswith(line, text)
  end)
end

--- What a request of the buffer lists: `file:line` of each entry.
local function listed(request)
  local found
  request(function(list)
    found = {}
    for _, item in ipairs(list.items) do
      local name = item.filename or vim.api.nvim_buf_get_name(item.bufnr)
      table.insert(found, ('%s:%d'):format(vim.fn.fnamemodify(name, ':t'), item.lnum))
    end
  end)
  wait('the list', function()
    return found
  end)
  return found
end

open('als.dml')

step('a call leads to the function in another file, and back', function()
  cursor('losses::squared', 'squared')
  vim.lsp.buf.definition()
  arrives('losses.dml', 'squared = function')
  vim.cmd('normal! \15')
  arrives('als.dml', 'squared(')
end)

step('a variable leads to its assignment, and its type to the function that made it', function()
  cursor('loss = next', 'next')
  vim.lsp.buf.definition()
  arrives('als.dml', 'next = losses')
  vim.lsp.buf.type_definition()
  arrives('losses.dml', 'regularized = function')
  vim.cmd.edit(vim.fs.joinpath(folder, 'als.dml'))
end)

step('references are found in files that are not open', function()
  cursor('losses::squared', 'squared')
  local all = listed(function(done)
    vim.lsp.buf.references({ includeDeclaration = true }, { on_list = done })
  end)
  same({ 'als.dml:12', 'losses.dml:3', 'losses.dml:18', 'report.dml:8' }, all)
end)

step('highlights tell reads from writes', function()
  cursor('while (improving', 'improving')
  vim.lsp.buf.document_highlight()
  local groups = wait('highlights', function()
    local found = {}
    for _, id in pairs(vim.api.nvim_get_namespaces()) do
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, { details = true })) do
        if (mark[4].hl_group or ''):match('^LspReference') then
          table.insert(found, ('%d %s'):format(mark[2] + 1, mark[4].hl_group))
        end
      end
    end
    table.sort(found)
    return #found >= 3 and found
  end)
  same({ '13 LspReferenceWrite', '14 LspReferenceRead', '18 LspReferenceWrite' }, groups)
  vim.lsp.buf.clear_references()
end)

step('the outline and the symbols of the workspace are listed', function()
  local outline = listed(function(done)
    vim.lsp.buf.document_symbol({ on_list = done })
  end)
  assert(vim.tbl_contains(outline, 'als.dml:2'), vim.inspect(outline))
  local symbols = listed(function(done)
    vim.lsp.buf.workspace_symbol('pena', { on_list = done })
  end)
  same('losses.dml:9', symbols[1])
end)

step('callers and callees are listed', function()
  cursor('losses::regularized', 'regularized')
  vim.lsp.buf.outgoing_calls()
  wait('callees', function()
    local texts = vim.tbl_map(function(item)
      return item.text
    end, vim.fn.getqflist())
    return vim.deep_equal({ 'squared', 'penalty' }, texts)
  end)
  vim.cmd('cclose')
  vim.cmd.edit(vim.fs.joinpath(folder, 'als.dml'))
  cursor('losses::regularized', 'regularized')
  vim.lsp.buf.incoming_calls()
  wait('callers', function()
    local first = vim.fn.getqflist()[1]
    return first and first.text == 'als.dml' and first.lnum == 17
  end)
  vim.cmd('cclose')
  vim.cmd.edit(vim.fs.joinpath(folder, 'als.dml'))
end)

step('a name that is taken is refused, and nothing changes', function()
  local said = {}
  local notify = vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  local before = t.lines(0)
  cursor('losses::squared', 'squared')
  vim.lsp.buf.rename('penalty')
  wait('message', function()
    return said[1]
  end)
  vim.notify = notify
  assert(said[1]:find('there is a function `penalty` already, at line 9 of losses.dml', 1, true), said[1])
  same(before, t.lines(0))
end)

step('a function is renamed in every file', function()
  cursor('losses::squared', 'squared')
  vim.lsp.buf.rename('frobenius')
  wait('renamed here', function()
    return vim.tbl_contains(t.lines(0), 'loss = losses::frobenius(X=X, U=U, V=V)')
  end)
  vim.cmd('silent wall')
  for name, count in pairs({ ['als.dml'] = 1, ['report.dml'] = 1, ['lib/losses.dml'] = 2 }) do
    local text = table.concat(vim.fn.readfile(vim.fs.joinpath(folder, name)), '\n')
    same(count, select(2, text:gsub('frobenius', '')))
    same(0, select(2, text:gsub('squared', '')))
  end
end)

step('a function of SystemDS keeps its name', function()
  local said = {}
  local notify = vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  cursor('print(')
  vim.lsp.buf.rename('show')
  wait('message', function()
    return said[1]
  end)
  vim.notify = notify
  assert(said[1]:find('`print` is a function of SystemDS', 1, true), said[1])
end)

vim.cmd('silent! %bwipeout!')
