-- Scripts that are wrong, unfinished or not ours: clear messages, and nothing else is lost.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local script = {
  '#@ X: 100000 x 50000, sparsity 0.0001',
  '#@ U: 100000 x 10',
  '#@ V: 50000 x 10',
  'X = read($X)',
  'U = read($U)',
  'V = read($V)',
  'loss = sum((X - U %*% t(V))^2)',
  'print(loss)',
}
local folder = t.folder({
  ['script.dml'] = script,
  ['device.dml'] = { '/* A device. */', 'dml 1.4;', '', 'device simple;' },
})
vim.cmd.edit(vim.fs.joinpath(folder, 'script.dml'))
local bufnr = vim.api.nvim_get_current_buf()

local function hinted()
  local hint = t.hint(bufnr, t.find(bufnr, 'loss = '))
  return hint and hint:find('cheaper ✓', 1, true)
end

local function append(...)
  vim.api.nvim_buf_set_lines(bufnr, -1, -1, false, { ... })
end

step('a half-typed line is marked, and the hint of another statement stays', function()
  wait('hint', hinted, 60000)
  append('y = X %*%')
  wait('diagnostic', function()
    return #vim.diagnostic.get(bufnr, { severity = vim.diagnostic.severity.ERROR }) > 0
  end)
  wait('hint beside the error', hinted, 60000)
end)

step('a repaired line is not marked any more', function()
  local last = #t.lines(bufnr)
  vim.api.nvim_buf_set_lines(bufnr, last - 1, last, false, { 'y = X %*% V', 'print(sum(y))' })
  wait('no diagnostic', function()
    return #vim.diagnostic.get(bufnr) == 0
  end)
  wait('hint', hinted, 60000)
end)

step('a shape mismatch names both shapes, at its place', function()
  append('bad = U %*% V', 'print(sum(bad))')
  local line = t.find(bufnr, 'bad = ')
  local found = wait('diagnostic', function()
    return vim.diagnostic.get(bufnr, { lnum = line })[1]
  end)
  assert(found.message:find('100000%D+10%D.*50000%D+10'), found.message)
end)

step(':Sumac says what it cannot do', function()
  local said = {}
  local notify = vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd('Sumac time')
  wait('message', function()
    return said[1]
  end)
  vim.cmd('Sumac nonsense')
  vim.notify = notify
  assert(said[1]:find('no suggestion for line 1', 1, true), said[1])
  assert(said[2]:find('apply, apply-all, explain, fusion, restart, schedule, status, time, why', 1, true), said[2])
end)

step(':checkhealth finds the server', function()
  vim.cmd('silent checkhealth sumac')
  local report = table.concat(t.lines(0), '\n')
  vim.cmd('silent bwipeout!')
  assert(report:find(vim.env.SUMAC_SERVER, 1, true), report)
  assert(not report:find('ERROR', 1, true), report)
end)

step('a device model with the same extension is left alone', function()
  vim.cmd.edit(vim.fs.joinpath(folder, 'device.dml'))
  assert(vim.bo.filetype ~= 'systemds', vim.bo.filetype)
  same({}, vim.lsp.get_clients({ bufnr = 0, name = 'sumac' }))
  vim.cmd('silent bwipeout!')
end)

step('the server ends with its editor', function()
  local client = t.client(bufnr)
  client:stop()
  wait('stopped', function()
    return client:is_stopped()
  end)
end)

vim.cmd('silent! bwipeout!')
