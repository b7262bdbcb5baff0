-- Files *.dml are scripts of SystemDS, except those of Intel's Device Modeling Language.
vim.filetype.add({
  extension = {
    dml = function(_, bufnr)
      if require('sumac.dialect').is_device_model(vim.api.nvim_buf_get_lines(bufnr, 0, 500, false)) then
        return nil
      end
      return 'systemds'
    end,
  },
})
