-- What a user does in Neovim; tests/test_neovim.py reads what was seen.
local seen = {}
local ended
local SECONDS = 60

vim.lsp.config("mllint_nan", {
  on_exit = function(code, signal)
    ended = { code = code, signal = signal }
  end,
})

local function wait(what, condition)
  if not vim.wait(SECONDS * 1000, condition, 20) then
    error("waited in vain until " .. what)
  end
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n") .. "\n"
end

local function found(buffer)
  local listed = {}
  for _, each in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(listed, string.format("%s %d:%d", each.code, each.lnum, each.col))
  end
  table.sort(listed)
  return listed
end

-- The diagnostics that the next report brings.
local function reported(buffer, what, action)
  local told = false
  local watch = vim.api.nvim_create_autocmd("DiagnosticChanged", {
    buffer = buffer,
    callback = function()
      told = true
    end,
  })
  action()
  wait(what, function()
    return told
  end)
  vim.api.nvim_del_autocmd(watch)
  return found(buffer)
end

local function opened(path)
  vim.cmd.edit(path)
  local buffer = vim.api.nvim_get_current_buf()
  wait(path .. " has findings", function()
    return #vim.diagnostic.get(buffer) > 0
  end)
  return buffer
end

local function take(kind, matches)
  vim.lsp.buf.code_action({
    context = { only = { kind }, diagnostics = {} },
    filter = matches,
    apply = true,
  })
end

local function edited(buffer, action)
  local before = text(buffer)
  action()
  wait("the buffer is edited", function()
    return text(buffer) ~= before
  end)
  return text(buffer)
end

local function run()
  local a = opened("a.py")
  local client = vim.lsp.get_clients({ bufnr = a })[1]
  seen.server = client.server_info
  seen.capabilities = vim.tbl_keys(client.server_capabilities)
  seen.opened = found(a)

  vim.api.nvim_win_set_cursor(0, { 5, 12 })
  seen.left = reported(a, "the fixed text is clean", function()
    seen.fixed = edited(a, function()
      take("quickfix", function(action)
        return action.isPreferred
      end)
    end)
  end)

  local b = opened("b.py")
  seen.both = found(b)
  seen.all_fixed = edited(b, function()
    take("source.fixAll")
  end)

  vim.cmd.buffer(a)
  seen.written_again = reported(a, "the flaw is found again", function()
    vim.cmd.undo()
  end)
  vim.api.nvim_win_set_cursor(0, { 5, 12 })
  vim.cmd("MllintNanExplain")
  wait("the page is open", function()
    return #vim.api.nvim_tabpage_list_wins(0) == 2
  end)
  local page = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  seen.explained = { first = page[1], text = table.concat(page, "\n"), windows = #vim.api.nvim_tabpage_list_wins(0) }
  vim.cmd("close")
  local notify = vim.notify
  vim.notify = function(message)
    seen.unknown = message
  end
  vim.cmd("MllintNanExplain NAN1O1")
  wait("it is said that there is no such rule", function()
    return seen.unknown ~= nil
  end)
  vim.notify = notify

  vim.fn.writefile({ 'ignore = ["NAN1"]' }, "mllint-nan.toml")
  seen.ignored = reported(a, "the other configuration holds", function()
    client:notify("workspace/didChangeConfiguration", { settings = {} })
  end)
  vim.fn.writefile({}, "mllint-nan.toml")

  local book = vim.uri_from_fname(vim.fn.getcwd() .. "/c.ipynb")
  local cells, documents, buffers = {}, {}, {}
  for name, source in pairs({
    first = "import torch\nx = load()",
    second = "y = torch.log(torch.softmax(x, dim=-1))",
  }) do
    local uri = "vscode-notebook-cell:" .. vim.fn.getcwd() .. "/c.ipynb#" .. name
    buffers[name] = vim.uri_to_bufnr(uri)
    vim.api.nvim_buf_set_lines(buffers[name], 0, -1, true, vim.split(source, "\n"))
    cells[name == "first" and 1 or 2] = { kind = 2, document = uri }
    table.insert(documents, { uri = uri, languageId = "python", version = 1, text = source })
  end
  client:notify("notebookDocument/didOpen", {
    notebookDocument = { uri = book, notebookType = "jupyter-notebook", version = 1, cells = cells },
    cellTextDocuments = documents,
  })
  wait("a cell has findings", function()
    return #vim.diagnostic.get(buffers.second) > 0
  end)
  seen.cells = { first = found(buffers.first), second = found(buffers.second) }

  client:stop()
  wait("the server has ended", function()
    return ended ~= nil
  end)
  seen.ended = ended
end

local is_done, problem = pcall(run)
if not is_done then
  seen.error = tostring(problem)
end
vim.fn.writefile({ vim.json.encode(seen) }, "seen.json")
vim.cmd("qall!")
