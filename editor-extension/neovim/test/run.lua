-- Runs all tests: nvim --clean --headless -u test/init.lua -l test/run.lua
-- The environment says where everything is; `cargo xtask test --only neovim` sets it.
local t = require('harness')

for _, scenario in ipairs({ 'offline', 'status', 'story', 'navigation', 'broken', 'cursor', 'diagnostics', 'editing', 'formatting', 'sketches', 'loops', 'python' }) do
  t.step('scenario ' .. scenario .. ' runs to its end', function()
    require(scenario)
  end)
end

t.say(('%d passed, %d failed'):format(t.passed, t.failed))
if t.failed > 0 then
  local log = vim.lsp.get_log_path()
  if vim.fn.filereadable(log) == 1 then
    t.say('language client log:\n' .. table.concat(vim.list_slice(vim.fn.readfile(log), 1, 50), '\n'))
  end
  -- Once more at the end, where whoever sees only the last lines finds them.
  t.say(table.concat(t.failures, '\n'))
  vim.cmd('cquit 1')
end
vim.cmd('quitall!')
