-- Diagnostics, their quick fixes, and what sumac.toml and `#@ allow` say of them.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local script = {
  'A = rand(rows=20, cols=10)',
  'B = rand(rows=5, cols=10)',
  'C = A %*% B',
  'print(sum(C))',
  'x = 1',
  'x = 2',
  'print(x)',
}
local folder = t.folder({
  ['script.dml'] = script,
  ['sumac.toml'] = { '[diagnostics]', 'unused-value = "warning"' },
})
vim.cmd.edit(vim.fs.joinpath(folder, 'script.dml'))
local bufnr = vim.api.nvim_get_current_buf()

local function at(line)
  return vim.diagnostic.get(bufnr, { lnum = line })
end

--- Offers of the menu at the beginning of a line; the one that `title` names is taken.
local function choose(line, column, title)
  local select, offered = vim.ui.select, nil
  vim.ui.select = function(items, options, take)
    offered = vim.tbl_map(options.format_item, items)
    for number, text in ipairs(offered) do
      if text:find(title, 1, true) then
        return take(items[number], number)
      end
    end
    take(nil)
  end
  vim.api.nvim_win_set_cursor(0, { line + 1, column })
  vim.lsp.buf.code_action()
  wait('menu', function()
    return offered
  end)
  vim.ui.select = select
  assert(table.concat(offered, '\n'):find(title, 1, true), vim.inspect(offered))
end

step('a mismatch leads to the places that explain it', function()
  local found = wait('diagnostic', function()
    return at(2)[1]
  end, 60000)
  same('shape-mismatch', found.code)
  local related = found.user_data.lsp.relatedInformation
  local texts = vim.tbl_map(function(one)
    return one.message
  end, related)
  assert(table.concat(texts, '\n'):find('transposed, `B` would fit', 1, true), vim.inspect(texts))
end)

step('a quick fix transposes the operand that would fit', function()
  choose(2, 6, 'Transpose `B`')
  wait('edited', function()
    return t.lines(bufnr)[3] == 'C = A %*% t(B)'
  end)
  wait('no error', function()
    return #at(2) == 0
  end)
end)

step('sumac.toml decides how serious a diagnostic is', function()
  local found = wait('diagnostic', function()
    return at(4)[1]
  end)
  same(vim.diagnostic.severity.WARN, found.severity)
end)

step('a diagnostic can be allowed for one statement', function()
  choose(4, 0, 'Allow `unused-value` for this statement')
  wait('edited', function()
    return t.lines(bufnr)[5] == '#@ allow unused-value'
  end)
  wait('no diagnostic', function()
    return #vim.diagnostic.get(bufnr) == 0
  end)
end)

step('an assert that does not hold comes with the values that refute it', function()
  vim.api.nvim_buf_set_lines(bufnr, 1, 1, false, { '#@ assert sum(A) == sum(A^2)', '#@ assert t(t(A)) == A' })
  local found = wait('diagnostic', function()
    return at(1)[1]
  end)
  same('failed-assert', found.code)
  assert(found.message:find('for A = matrix(', 1, true), found.message)
  same({}, at(2))
end)

vim.cmd('silent! bwipeout!')
