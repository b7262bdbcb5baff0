-- Comments and highlighting of sketch files.
require('sumac.filetype').set_up('b:#', 'sketch')
