-- Files *.sketch are sketches: forms with holes, which the searches of scripts go by.
vim.filetype.add({ extension = { sketch = 'sumac-sketch' } })
