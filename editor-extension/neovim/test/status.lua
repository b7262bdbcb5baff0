-- What the server is doing: the words for a statusline, and :Sumac status.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local folder = t.folder({
  ['script.dml'] = {
    '#@ X: 20000 x 10000, sparsity 0.001',
    '#@ U: 20000 x 10',
    '#@ V: 10000 x 10',
    'X = read($X)',
    'U = read($U)',
    'V = read($V)',
    'loss = sum((X - U %*% t(V))^2)',
    'print(loss)',
  },
})
local status = require('sumac').status
local heard = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'SumacStatus',
  callback = function()
    table.insert(heard, status())
  end,
})

step('without a server the words are empty', function()
  wait('no server', function()
    return #vim.lsp.get_clients({ name = 'sumac' }) == 0
  end)
  same('', status())
end)

vim.cmd.edit(vim.fs.joinpath(folder, 'script.dml'))
local bufnr = vim.api.nvim_get_current_buf()

step('work is told, and its end', function()
  wait('hint', function()
    local hint = t.hint(bufnr, 6)
    return hint and hint:find('cheaper ✓', 1, true)
  end, 60000)
  wait('rest', function()
    return status() == 'sumac'
  end, 60000)
  same('sumac', heard[#heard])
end)

step(':Sumac status tells of searches and caches', function()
  local said = {}
  local notify = vim.notify
  vim.notify = function(message)
    table.insert(said, message)
  end
  vim.cmd('Sumac status')
  wait('message', function()
    return said[1]
  end)
  vim.notify = notify
  assert(said[1]:find('nothing is running', 1, true), said[1])
  assert(said[1]:find('%d+ blocks searched'), said[1])
  assert(said[1]:find('caches: .- of at most 1.0 GB'), said[1])
end)

step('work under way is named with its document', function()
  local lines = require('sumac.status').lines({
    running = { { what = 'search', uri = 'file:///a/my%20loss.dml', milliseconds = 1200 }, { what = 'answer', milliseconds = 1 } },
    saturations = 1,
    remembered = 2,
    restored = 3,
    memory = { cached = 1536, limit = 1073741824 },
  })
  same({ 'searching my loss.dml (1.2 s)', '1 blocks searched, 5 remembered', 'caches: 1.5 kB of at most 1.0 GB' }, lines)
end)

vim.cmd('silent! bwipeout!')
