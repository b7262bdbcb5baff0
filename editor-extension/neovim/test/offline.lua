-- What needs no server: file types, and highlighting by tree-sitter with the grammar of this repository.
local t = require('harness')
local step, same = t.step, t.same

step('the device language is told apart by its first code', function()
  local is = require('sumac.dialect').is_device_model
  for _, text in ipairs({ 'dml 1.4;', '\239\187\191 dml  1.2 ;', '/* a\n b */ // c\n\ndml 1.4;\ndevice x;' }) do
    same({ text, true }, { text, is(vim.split(text, '\n')) })
  end
  for _, text in ipairs({ '', 'dml = 1.4;', '# dml 1.4;\nx = 1', '/* dml 1.4; */ x = 1', 'x = 1\ndml 1.4;', '/* dml 1.4;' }) do
    same({ text, false }, { text, is(vim.split(text, '\n')) })
  end
end)

step('tree-sitter colours a script', function()
  local folder = t.folder({ ['a.dml'] = { '# text', 'x = sum(A %*% B) + 2.5', 'if (x > 1) print("big")' } })
  vim.cmd('noautocmd edit ' .. vim.fs.joinpath(folder, 'a.dml'))
  vim.bo.filetype = 'systemds'
  vim.treesitter.get_parser(0, 'dml'):parse(true)
  assert(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()], 'the highlighter is on')
  local function capture(line, column)
    local found = vim.treesitter.get_captures_at_pos(0, line, column)
    return found[#found] and found[#found].capture
  end
  assert(vim.startswith(capture(0, 0), 'comment'), capture(0, 0))
  assert(vim.startswith(capture(1, 4), 'function'), capture(1, 4))
  same('operator', capture(1, 10))
  assert(vim.startswith(capture(1, 19), 'number'), capture(1, 19))
  assert(vim.startswith(capture(2, 0), 'keyword'), capture(2, 0))
  same('string', capture(2, 18))
  vim.cmd('silent bwipeout!')
end)

step('without a parser the syntax file colours a script', function()
  vim.cmd('new')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { '#@ X: 10 x 20', 'x = sum(A %*% B)' })
  vim.cmd('syntax on')
  vim.bo.syntax = 'systemds'
  local function group(line, column)
    return vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name')
  end
  same('systemdsFact', group(1, 1))
  same('systemdsFunction', group(2, 5))
  same('systemdsOperator', group(2, 11))
  vim.cmd('silent bwipeout!')
end)

step('the help has its tags', function()
  local folder = t.folder({})
  local plugin = vim.fn.fnamemodify(vim.api.nvim_get_runtime_file('doc/sumac.txt', false)[1], ':p')
  vim.fn.mkdir(folder .. '/doc', 'p')
  vim.fn.writefile(vim.fn.readfile(plugin), folder .. '/doc/sumac.txt')
  vim.cmd('helptags ' .. folder .. '/doc')
  local tags = table.concat(vim.fn.readfile(folder .. '/doc/tags'), '\n')
  -- A checkout on the runtime path has no step that would make them.
  local own = vim.api.nvim_get_runtime_file('doc/tags', true)
  own = vim.tbl_filter(function(path) return vim.fn.fnamemodify(path, ':p:h') == vim.fn.fnamemodify(plugin, ':h') end, own)
  assert(own[1], 'doc/tags is missing')
  assert(table.concat(vim.fn.readfile(own[1]), '\n') == tags, 'doc/tags is not what :helptags makes of doc/sumac.txt')
  for _, tag in ipairs({ ':Sumac', 'g:sumac', 'sumac-installation', 'sumac-tree-sitter' }) do
    assert(tags:find(tag .. '\t', 1, true), tag)
  end
end)
