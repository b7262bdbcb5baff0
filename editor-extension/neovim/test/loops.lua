-- Loop nests for a product: one sketch chosen among all, its nest run, shown and timed in a lens.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local statement = 'C = A %*% B'
local folder = t.folder({
  ['product.dml'] = { '#@ A: 64 x 96', '#@ B: 96 x 32', 'A = read($A)', 'B = read($B)', statement, 'print(sum(C))' },
})
vim.cmd.edit(vim.fs.joinpath(folder, 'product.dml'))
local bufnr = vim.api.nvim_get_current_buf()
t.client(bufnr)

local function shown_document()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local shown = vim.api.nvim_win_get_buf(window)
    if vim.startswith(vim.api.nvim_buf_get_name(shown), 'sumac://') and #t.lines(shown) > 1 then
      return shown
    end
  end
end

step('a sketch for the loops of a product is chosen, and its nest is run and shown', function()
  local asked
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose)
    same('Loops for a product, 64 x 96 times 96 x 32', options.prompt)
    asked = vim.tbl_map(options.format_item, items)
    for _, item in ipairs(items) do
      if item.sketch == 'blocking' then
        choose(item)
      end
    end
  end
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.cmd('Sumac schedule')
  local document = wait('document', shown_document, 120000)
  vim.ui.select = select
  assert(vim.startswith(asked[1], 'all of them'), asked[1])
  local text = table.concat(t.lines(document), '\n')
  assert(text:find(statement, 1, true), text)
  assert(text:find('| blocking | %d'), 'the nest was timed: ' .. text)
  assert(text:find('## blocking as C', 1, true), text)
  vim.cmd('only')
  vim.api.nvim_win_set_buf(0, bufnr)
end)

step('the time of the nest stands above the product', function()
  wait('lens', function()
    local lens = t.lens(bufnr, 4)
    return lens and lens:find('loops: blocking', 1, true)
  end, 60000)
end)
