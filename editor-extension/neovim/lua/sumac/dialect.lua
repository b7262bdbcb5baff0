-- Tells a script of SystemDS from a file of the device language with the same extension.
-- Lines in, an answer out: knows no buffer.
local M = {}

--- Whether the first code in these lines is the version that every device model begins with: `dml 1.4;`.
--- @param lines string[]
--- @return boolean
function M.is_device_model(lines)
  local in_block = false
  for _, line in ipairs(lines) do
    local rest = line:gsub('^\239\187\191', '')
    while true do
      if in_block then
        local _, last = rest:find('*/', 1, true)
        if not last then
          break
        end
        in_block, rest = false, rest:sub(last + 1)
      end
      rest = rest:gsub('^%s+', '')
      if rest == '' or vim.startswith(rest, '//') or vim.startswith(rest, '#') then
        break
      elseif vim.startswith(rest, '/*') then
        in_block, rest = true, rest:sub(3)
      else
        return rest:find('^dml%s+%d+%.%d+%s*;') ~= nil
      end
    end
  end
  return false
end

return M
