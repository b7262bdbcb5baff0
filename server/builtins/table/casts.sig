# From one kind of value to another, and questions about values.

as.scalar(X: any) -> scalar
    Takes the only cell of a matrix or frame, or the only element of a list.
    X: a value of one cell
    @alias castAsScalar

as.matrix(x: any) -> matrix[nrow(x), ncol(x)]
    Makes a matrix of a scalar, a frame, or a list.

as.frame(x: any, names?: list) -> frame[nrow(x), ncol(x)]
    Makes a frame of a scalar, a matrix, or a list.
    names: the names of the columns

as.list(x: list) -> list
    Takes the list that an element of a list is.

as.double(x: scalar) -> double
    Makes a floating-point number of a scalar.

as.integer(x: scalar) -> int
    Makes a whole number of a scalar, and drops what stands behind the point.

as.logical(x: scalar) -> bool
    Makes a truth value of a scalar: false for zero, otherwise true.
    @alias as.boolean

nrow(X: any) -> int
    Counts the rows of a matrix or frame.
    @operator

ncol(X: any) -> int
    Counts the columns of a matrix or frame.
    @operator

length(X: any) -> int
    Counts the cells of a matrix or frame, or the elements of a list.
    @operator

exists(x: any) -> bool
    Tells whether a variable, also one named by a string, has a value.
    x: the variable or its name

typeof(X: matrix|frame) -> frame[1, ncol(X)]
    Gives the type of each column as a frame of one row.

colnames(X: matrix|frame) -> frame[1, ncol(X)]
    Gives the names of the columns as a frame of one row.

toString(target: any, rows: int = 100, cols: int = 100, decimal: int = 3, sparse: bool = FALSE,
    sep: string = " ", linesep: string = "\n") -> string
    Writes a value as text, as `print` would show it.
    target: the value
    rows: the most rows that are shown
    cols: the most columns that are shown
    decimal: how many digits stand behind the point
    sparse: whether only cells that are not zero are shown, with their places
    sep: what stands between two columns
    linesep: what stands between two rows
    @named
