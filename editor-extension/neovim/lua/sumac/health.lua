-- :checkhealth sumac
local M = {}

function M.check()
  local health = vim.health
  health.start('sumac')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or later is needed')
    return
  end

  local command = vim.lsp.config.sumac.cmd
  local program = type(command) == 'table' and command[1] or nil
  if not program then
    health.info('the server is started by a function, which is not looked into')
  elseif vim.fn.executable(program) == 1 then
    local answer = vim.system({ program, '--version' }, { text = true }):wait(5000)
    if answer.code == 0 then
      health.ok(('%s: %s'):format(vim.fn.exepath(program), vim.trim(answer.stdout)))
    else
      health.error(('%s --version failed with code %d'):format(program, answer.code), vim.trim(answer.stderr or ''))
    end
  else
    health.error(
      ('the language server "%s" is no program on the search path'):format(program),
      "install it, or say where it is: vim.lsp.config('sumac', { cmd = { '/path/to/sumac', 'lsp' } })"
    )
  end

  local attached = #vim.lsp.get_clients({ name = 'sumac' })
  health.info(attached == 0 and 'no server is running; open a *.dml file' or ('%d running'):format(attached))

  if #vim.api.nvim_get_runtime_file('parser/dml.so', false) > 0 then
    health.ok('tree-sitter parser found')
  else
    health.info('no tree-sitter parser: highlighting falls back to syntax/systemds.vim; see :help sumac-tree-sitter')
  end
end

return M
