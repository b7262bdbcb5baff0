-- What happens when the server is attached to a buffer: hints are switched on, lenses are kept fresh.
-- Mirrors editor-extension/vscode/src/lsp_ext.ts where the server speaks beyond the standard.
local M = {}

--- Settings of the person: vim.g.sumac = { inlay_hints = true, lens = true }.
--- @param name 'inlay_hints'|'lens'
local function enabled(name)
  return (vim.g.sumac or {})[name] ~= false
end

--- Whether this Neovim keeps lenses fresh by itself (0.12 and later).
local native_lenses = vim.lsp.codelens.enable ~= nil

--- Asks for the lenses of a buffer. Not vim.lsp.codelens.refresh: that drops a call while an answer is under way,
--- and the answer may be older than what the server has just told.
--- @param client vim.lsp.Client
--- @param bufnr integer
local function refresh_lenses(client, bufnr)
  if vim.api.nvim_buf_is_loaded(bufnr) and enabled('lens') then
    local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
    client:request('textDocument/codeLens', params, vim.lsp.codelens.on_codelens, bufnr)
  end
end

--- Capabilities beyond what Neovim claims by itself.
function M.capabilities()
  return { workspace = { codeLens = { refreshSupport = true } }, experimental = { sumacStatus = true } }
end

--- Handlers of what the server sends.
function M.handlers()
  local handlers = {
    ['sumac/statusChanged'] = require('sumac.status').changed,
    ['window/showDocument'] = function(err, params, ctx)
      if vim.startswith(params.uri, 'sumac:') then
        return { success = require('sumac.documents').show(params.uri, params.takeFocus, nil, ctx.client_id) }
      end
      return vim.lsp.handlers['window/showDocument'](err, params, ctx)
    end,
  }
  -- Neovim's own handler marks every line as drawn when the screen is redrawn between the refresh and its answer,
  -- and the answer is then not drawn before the next change. Enabling anew forgets what was drawn.
  handlers['workspace/inlayHint/refresh'] = function(_, _, ctx)
    local client = vim.lsp.get_client_by_id(ctx.client_id)
    for bufnr in pairs(client and client.attached_buffers or {}) do
      if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
        vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
      end
    end
    return vim.NIL
  end
  if not native_lenses then
    handlers['workspace/codeLens/refresh'] = function(_, _, ctx)
      local client = vim.lsp.get_client_by_id(ctx.client_id)
      for bufnr in pairs(client and client.attached_buffers or {}) do
        refresh_lenses(client, bufnr)
      end
      return vim.NIL
    end
  end
  return handlers
end

--- What the server is doing, in a few words for a statusline: vim.o.statusline = "… %{v:lua.require'sumac'.status()}"
function M.status()
  return require('sumac.status').line()
end

--- What the lens that counts references does: the places go into the list of locations to go through.
--- The command's arguments: document, position, locations.
function M.show_references(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local locations = command.arguments[3]
  if client and #locations > 0 then
    local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
    vim.fn.setqflist({}, ' ', { title = command.title, items = items })
    vim.cmd('botright copen')
  end
end

--- @param client vim.lsp.Client
--- @param bufnr integer
function M.attach(client, bufnr)
  if enabled('inlay_hints') and client:supports_method('textDocument/inlayHint') then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if not enabled('lens') or not client:supports_method('textDocument/codeLens') then
    return
  end
  if native_lenses then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  refresh_lenses(client, bufnr)
  local group = vim.api.nvim_create_augroup('sumac.lens.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      for _, attached in ipairs(vim.lsp.get_clients({ name = 'sumac', bufnr = bufnr })) do
        refresh_lenses(attached, bufnr)
      end
    end,
  })
end

return M
