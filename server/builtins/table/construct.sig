# Matrices, frames and lists from nothing.

matrix(data: any, rows?: int, cols?: int, byrow: bool = TRUE, dimnames?: list, dims?: any) -> matrix
    Makes a matrix of one number or of a text of numbers, or gives a matrix another shape.
    data: a number, numbers in a text, or a matrix
    rows: how many rows it has
    cols: how many columns it has
    byrow: whether cells are taken row by row
    dimnames: names of rows and columns
    dims: all sizes in one value
    @special
    @named

rand(rows: int = 1, cols: int = 1, min: double = 0, max: double = 1, sparsity: double = 1, seed: int = -1,
    pdf: string = "uniform", lambda: double = 1, dims?: any) -> matrix
    Makes a matrix of random numbers.
    rows: how many rows it has
    cols: how many columns it has
    min: the smallest number of a uniform distribution
    max: the largest number of a uniform distribution
    sparsity: {0.001, 0.01, 0.1, 1.0} the share of cells that are not zero
    pdf: {"uniform", "normal", "poisson"} the distribution
    lambda: the mean of a Poisson distribution
    dims: all sizes of a tensor
    @special
    @impure
    @named
    @alias Rand

seq(from: double, to: double, incr?: double) -> matrix
    Makes a column that counts from one number to another.
    from: the first number
    to: the bound, reached only if the steps hit it
    incr: the step: 1 or -1 unless given
    @special

sample(range: int, size: int, replace?: any, seed?: int) -> matrix[size, 1]
    Draws whole numbers from one up to a bound, each at most once unless they are put back.
    range: the largest number
    size: how many are drawn
    replace: {TRUE, FALSE} whether a number can come again; a whole number here is the seed
    @impure

frame(data: any, rows: int, cols: int, schema?: any) -> frame[rows, cols]
    Makes a frame of one value or of a text of values.
    data: the value of the cells
    rows: how many rows it has
    cols: how many columns it has
    schema: the types of the columns
    @named

tensor(data: any, dims: any, byrow: bool = TRUE, dimnames?: list) -> tensor
    Makes a tensor of any number of dimensions.
    data: the value of the cells
    dims: the sizes of all dimensions
    byrow: whether cells are taken row by row
    dimnames: names of the dimensions
    @named

list(...) -> list
    Makes a list of its arguments, by position or by name.

federated(local_matrix?: matrix|frame, addresses: list, ranges: list, type: string = "matrix") -> any
    Makes one matrix or frame of parts that stay at several workers.
    local_matrix: a matrix to distribute
    addresses: the address of each part
    ranges: the first and last cell of each part
    type: {"matrix", "frame"} what the parts make up
    @impure
    @named
