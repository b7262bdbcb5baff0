-- Comments and highlighting of scripts.
require('sumac.filetype').set_up('b:#@,b:#', 'dml')
