-- Read-only documents that only the server knows (sumac://…), in scratch buffers.
local M = {}

--- The server's name of each document by the name of its buffer.
local uris = {}

--- The server that knows each document, by the name of its buffer: several may be running.
local servers = {}

--- What is to be done when a buffer has its text, by its name.
local waiting = {}

--- Neovim takes a name for a path in the current folder unless it has `://`, which the server's names may lack.
--- @param uri string
--- @return string name of the buffer
local function buffer_name(uri)
  local name = uri:gsub('^sumac:/*', 'sumac://')
  uris[name] = uri
  return name
end

--- Shows a document next to the script it is about, in the window that already has it or in a new one.
--- @param uri string
--- @param focus boolean? whether the cursor moves there
--- @param done fun()? called when the text is there
--- @param client_id integer? the server that knows it
--- @return boolean shown
function M.show(uri, focus, done, client_id)
  local origin = vim.api.nvim_get_current_win()
  local name = buffer_name(uri)
  waiting[name] = done
  servers[name] = client_id
  local bufnr = vim.fn.bufadd(name)
  local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
  local window = vim.fn.win_findbuf(bufnr)[1]
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('vertical sbuffer ' .. bufnr)
  end
  -- A buffer that is there already is not read by being shown.
  if is_loaded then
    M.read(bufnr, name)
  end
  if not focus then
    vim.api.nvim_set_current_win(origin)
  end
  return true
end

--- Fills a buffer with the document's text, when the server has answered.
--- @param bufnr integer
--- @param name string
function M.read(bufnr, name)
  vim.bo[bufnr].buftype = 'nofile'
  vim.bo[bufnr].bufhidden = 'hide'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].modifiable = false
  local function fill(text, filetype)
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split((text:gsub('\n$', '')), '\n', { plain = true }))
    vim.bo[bufnr].modifiable = false
    vim.bo[bufnr].modified = false
    if filetype then
      vim.bo[bufnr].filetype = filetype
    end
    local done = waiting[name]
    waiting[name] = nil
    if done then
      done()
    end
  end
  local client = servers[name] and vim.lsp.get_client_by_id(servers[name]) or vim.lsp.get_clients({ name = 'sumac' })[1]
  if not client then
    fill('The language server is not running, so this document has no text.')
    return
  end
  client:request('sumac/document', { uri = uris[name] or name }, function(err, result)
    if err then
      fill(('The server has no such document: %s'):format(err.message))
    else
      fill(result.text, result.languageId)
    end
  end, bufnr)
end

return M
