# Files, the terminal, and the end of a run.

read(iofilename: string, rows?: int, cols?: int, format?: string, data_type?: string, value_type?: string,
    schema?: string, rows_in_block?: int, cols_in_block?: int, nnz?: int, default?: double, sep?: string,
    fill?: bool, header?: bool, naStrings?: string, indSep?: string, dataset?: string) -> any
    Reads a matrix, frame, list, tensor or scalar from a file, as its metadata describe it.
    iofilename: the file or folder
    rows: how many rows it has
    cols: how many columns it has
    format: {"text", "binary", "csv", "mm", "libsvm", "jsonl", "hdf5"} how it is written
    data_type: {"matrix", "frame", "list", "tensor", "scalar"} what it is
    value_type: {"double", "int", "string", "boolean"} what its cells are
    schema: the types of a frame's columns, separated by commas
    rows_in_block: the rows of a block
    cols_in_block: the columns of a block
    nnz: how many cells are not zero
    default: what stands for an empty cell
    sep: what stands between two cells of a line
    fill: whether an empty cell is filled
    header: whether the first line names the columns
    naStrings: texts that stand for a missing value
    indSep: what stands between index and value
    dataset: the name of the data set inside the file
    @special
    @impure
    @named
    @alias readMM read.csv

write(x: any, iofilename: string, format: string = "text", sep?: string, header?: bool, sparse?: bool,
    description?: string, author?: string, rows_in_block?: int, cols_in_block?: int, indSep?: string,
    dataset?: string, ...)
    Writes a value to a file, with its metadata beside it.
    x: the value
    iofilename: the file or folder
    format: {"text", "binary", "csv", "mm", "libsvm", "jsonl", "hdf5"} how it is written
    sep: what stands between two cells of a line
    header: whether the first line names the columns
    sparse: whether zeros are left out of a line
    description: a sentence for the metadata
    author: a name for the metadata
    rows_in_block: the rows of a block
    cols_in_block: the columns of a block
    indSep: what stands between index and value
    dataset: the name of the data set inside the file
    @impure

print(x: any, ...)
    Prints a value, or a text whose % places are filled from the values behind it.
    x: the value, or the text with places
    @impure

printf(format: string, ...)
    Prints a text whose % places are filled from the values behind it.
    format: the text with places
    @impure

stop(message: string, ...)
    Ends the run with an error.
    message: why
    @impure

assert(condition: bool, ...)
    Ends the run with an error unless a condition holds.
    condition: what has to hold
    @impure

sql(conn: string, user?: string, password?: string, query: string) -> tensor
    Reads the result of a database query as a tensor.
    conn: the address of the database
    user: the name to log in with
    password: the password to log in with
    query: the question in SQL
    @impure
    @named

time() -> int
    Reads the clock, in nanoseconds.
    @impure
