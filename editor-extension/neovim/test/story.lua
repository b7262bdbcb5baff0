-- The product's story in Neovim, from opening the file to the applied edit on disk.
local t = require('harness')
local step, wait, same = t.step, t.wait, t.same

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local fixture = vim.fn.readfile(vim.fs.joinpath(here, '../../../fixtures/als_loss.dml'))
local file = vim.fs.joinpath(t.folder({ ['als_loss.dml'] = fixture }), 'als_loss.dml')

vim.cmd.edit(file)
local bufnr = vim.api.nvim_get_current_buf()
local line = t.find(bufnr, 'loss = ')
local written = t.lines(bufnr)[line + 1]
local suggestion

local function cursor()
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
end

local function hinted()
  local hint = t.hint(bufnr, line)
  -- The gain is the estimate, or what was measured once the statement has been timed.
  return hint and hint:find('⇒', 1, true) and hint:find('✓', 1, true) and hint
end

step('a script gets its file type and its server', function()
  same('systemds', vim.bo[bufnr].filetype)
  t.client(bufnr)
end)

step('the suggestion stands behind the statement', function()
  local hint = wait('hint', hinted, 60000)
  suggestion = hint:match('⇒ (.-)%s+~?%S+× cheaper ✓')
  assert(suggestion, 'the hint names the form and the gain: ' .. hint)
end)

step('a correct script has no diagnostics', function()
  same({}, vim.diagnostic.get(bufnr))
end)

step('hover tells shape, sparsity and cost', function()
  cursor()
  vim.lsp.buf.hover()
  local text = wait('hover window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        return table.concat(t.lines(vim.api.nvim_win_get_buf(window)), '\n'):lower()
      end
    end
  end)
  t.close_floats()
  for _, word in ipairs({ 'shape', 'sparsity', 'cost', 'flops' }) do
    assert(text:find(word, 1, true), ('the hover has no "%s": %s'):format(word, text))
  end
end)

step('the lens offers to time the statement, and running it measures both forms', function()
  wait('lens', function()
    local lens = t.lens(bufnr, line)
    return lens and lens:find('▶ time it', 1, true)
  end)
  cursor()
  vim.cmd('Sumac time')
  wait('measured lens', function()
    local lens = t.lens(bufnr, line)
    return lens and lens:find('→', 1, true) and lens:find('measured', 1, true)
  end, 180000)
end)

--- The buffer of the virtual document that stands in some window.
local function shown_document()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local shown = vim.api.nvim_win_get_buf(window)
    if vim.startswith(vim.api.nvim_buf_get_name(shown), 'sumac://') and #t.lines(shown) > 1 then
      return shown
    end
  end
end

step('explain opens the proof, step by step, and the script stays in sight', function()
  cursor()
  vim.cmd('Sumac explain')
  local document = wait('document', shown_document)
  local text = table.concat(t.lines(document), '\n')
  local inside = written:match('=%s*(.*)$')
  assert(text:find(inside, 1, true), 'the proof begins with the statement as written: ' .. text)
  assert(text:lower():find('step', 1, true) or text:find('1.', 1, true), 'the proof has steps: ' .. text)
  same(false, vim.bo[document].modifiable)
  same(1, #vim.fn.win_findbuf(bufnr))
  vim.cmd('only')
  vim.api.nvim_win_set_buf(0, bufnr)
end)

step('how the statement is fused opens as a program, with the line marked', function()
  cursor()
  vim.cmd('Sumac fusion')
  local document = wait('document', shown_document)
  local text = table.concat(t.lines(document), '\n')
  assert(text:find('operator 1: ', 1, true), 'the plan has an operator: ' .. text)
  assert(text:find('loss = [^\n]*| 1'), 'the line of the loss is computed by operator 1: ' .. text)
  vim.cmd('only')
  vim.api.nvim_win_set_buf(0, bufnr)
end)

--- Asks for the alternatives and answers the question that follows.
--- @param answer fun(items: table, options: table): integer? the place of the chosen one
local function compare(answer)
  local asked
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose)
    asked = vim.tbl_map(options.format_item, items)
    local place = answer(items, options)
    choose(place and items[place], place)
  end
  cursor()
  vim.cmd('Sumac alternatives')
  wait('question', function()
    return asked
  end)
  vim.ui.select = select
  return asked
end

step('the alternatives stand side by side, and one of them can be chosen', function()
  local document
  local asked = compare(function(_, options)
    same('Choose a form for als_loss.dml:' .. (line + 1), options.prompt)
    document = table.concat(t.lines(assert(shown_document(), 'the forms are shown beside')), '\n')
    return 3
  end)
  same(4, #asked)
  assert(asked[1]:find(suggestion, 1, true), 'the suggestion comes first: ' .. asked[1])
  assert(asked[3]:find('instead of', 1, true), 'it says how it differs: ' .. asked[3])
  local form = asked[3]:match('× cheaper: (.-) %(alternative 2: ')
  assert(form, asked[3])
  assert(document:find('## Alternative 3', 1, true) and document:find(form, 1, true), document)
  wait('edited', function()
    return t.lines(bufnr)[line + 1] == 'loss = ' .. form
  end)
  vim.cmd('silent undo')
  same(fixture, t.lines(bufnr))
  wait('hint', hinted, 60000)
end)

step('a form that was made for an earlier text is not applied', function()
  local told
  local notify = vim.notify
  vim.notify = function(message)
    told = message
  end
  compare(function()
    vim.api.nvim_buf_set_lines(bufnr, 0, 0, false, { '# a comment' })
    return 2
  end)
  vim.notify = notify
  assert(told and told:find('has changed', 1, true), tostring(told))
  same(written, t.lines(bufnr)[line + 2])
  vim.cmd('silent undo')
  same(fixture, t.lines(bufnr))
  wait('hint', hinted, 60000)
  vim.cmd('only')
  vim.api.nvim_win_set_buf(0, bufnr)
end)

step('the lens compares the alternatives, too', function()
  local lens = wait('lens', function()
    local shown = t.lens(bufnr, line)
    return shown and shown:find('compare alternatives', 1, true) and shown
  end)
  assert(lens:find('why', 1, true), lens)
  local asked
  local select = vim.ui.select
  -- Two questions: which lens, then which form. The first answer is the lens, nothing is chosen for the second.
  vim.ui.select = function(items, options, choose)
    local texts = vim.tbl_map(options.format_item, items)
    for place, text in ipairs(texts) do
      if text:find('compare alternatives', 1, true) then
        return choose(items[place], place)
      end
    end
    asked = texts
    choose(nil)
  end
  cursor()
  vim.lsp.codelens.run()
  wait('question', function()
    return asked
  end)
  vim.ui.select = select
  same(4, #asked)
  same(fixture, t.lines(bufnr))
  vim.cmd('only')
  vim.api.nvim_win_set_buf(0, bufnr)
end)

step('the menu of actions offers to apply and to explain', function()
  cursor()
  local offered
  local select = vim.ui.select
  vim.ui.select = function(items, options)
    offered = vim.tbl_map(options.format_item, items)
  end
  vim.lsp.buf.code_action()
  wait('menu', function()
    return offered
  end)
  vim.ui.select = select
  local all = table.concat(offered, '\n')
  for _, title in ipairs({ 'Apply optimized form', 'Show 3 alternatives', 'Explain, step by step' }) do
    assert(all:find(title, 1, true), ('"%s" is not among %s'):format(title, all))
  end
end)

step('applying writes the suggested form, and nothing else', function()
  cursor()
  vim.cmd('Sumac apply')
  wait('edited', function()
    return t.lines(bufnr)[line + 1] ~= written
  end)
  local want = vim.deepcopy(fixture)
  want[line + 1] = 'loss = ' .. suggestion
  same(want, t.lines(bufnr))
  vim.cmd('silent write')
  same(want, vim.fn.readfile(file))
end)

step('an applied form has no better one', function()
  wait('the hint goes', function()
    return not hinted()
  end)
end)

step('undo brings the statement and its hint back', function()
  vim.cmd('silent undo')
  same(fixture, t.lines(bufnr))
  wait('hint', hinted, 60000)
end)

step('choosing the action from the menu writes the same', function()
  cursor()
  local select = vim.ui.select
  vim.ui.select = function(items, options, choose)
    for index, item in ipairs(items) do
      if options.format_item(item):find('Apply optimized form', 1, true) then
        return choose(item, index)
      end
    end
    choose(nil)
  end
  vim.lsp.buf.code_action()
  wait('edited', function()
    return t.lines(bufnr)[line + 1] == 'loss = ' .. suggestion
  end)
  vim.ui.select = select
  vim.cmd('silent undo')
  same(fixture, t.lines(bufnr))
end)

step('all suggestions are applied after a look at the changes', function()
  cursor()
  local select = vim.ui.select
  local asked
  vim.ui.select = function(items, options, choose)
    asked = options.prompt
    choose(items[1], 1)
  end
  vim.cmd('Sumac apply-all')
  wait('edited', function()
    return t.lines(bufnr)[line + 1] == 'loss = ' .. suggestion
  end)
  vim.ui.select = select
  assert(asked:find('Apply 1 suggestion to', 1, true), asked)
  -- Its text comes by a request of its own, which the answer to the question may overtake.
  local diff = wait('the changes beside', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local text = table.concat(t.lines(vim.api.nvim_win_get_buf(window)), '\n')
      if text:find('```diff', 1, true) then
        return text
      end
    end
  end)
  assert(diff:find('+loss = ' .. suggestion, 1, true), diff)
  wait('the cursor in the script again', function()
    return vim.api.nvim_get_current_buf() == bufnr
  end)
  vim.cmd('silent undo')
  vim.cmd('only')
  same(fixture, t.lines(bufnr))
end)

step('a restarted server answers again', function()
  local before = t.client(bufnr).id
  vim.cmd('Sumac restart')
  wait('another client', function()
    local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'sumac' })[1]
    return client and client.initialized and client.id ~= before
  end)
  wait('hint', hinted, 60000)
end)

vim.cmd('silent bwipeout!')
