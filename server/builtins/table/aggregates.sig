# Sums, means, extremes, and other summaries of cells.

sum(X: matrix) -> double
    Adds up all cells.
    @operator

prod(X: matrix) -> double
    Multiplies all cells.
    @operator

mean(X: matrix, w?: matrix) -> double
    Averages all cells, weighted where weights are given.
    w: a weight for each cell
    @operator
    @alias avg

min(X: matrix|scalar, ...) -> matrix|scalar
    Finds the smallest cell of a matrix, or the smaller values of several arguments cell by cell.
    @operator
    @alias pmin

max(X: matrix|scalar, ...) -> matrix|scalar
    Finds the largest cell of a matrix, or the larger values of several arguments cell by cell.
    @operator
    @alias pmax

sd(X: matrix) -> double
    Computes the sample standard deviation of all cells.

var(X: matrix) -> double
    Computes the sample variance of all cells.

trace(A: matrix) -> double
    Adds up the diagonal of a square matrix.
    @operator
    @alias tr

rowSums(X: matrix) -> matrix
    Adds up each row.
    @operator

rowMeans(X: matrix) -> matrix
    Averages each row.
    @operator

rowMins(X: matrix) -> matrix
    Finds the smallest cell of each row.
    @operator

rowMaxs(X: matrix) -> matrix
    Finds the largest cell of each row.
    @operator

rowProds(X: matrix) -> matrix[nrow(X), 1]
    Multiplies the cells of each row.

rowSds(X: matrix) -> matrix[nrow(X), 1]
    Computes the sample standard deviation of each row.

rowVars(X: matrix) -> matrix[nrow(X), 1]
    Computes the sample variance of each row.

rowIndexMax(X: matrix) -> matrix[nrow(X), 1]
    Finds the column in which each row has its largest cell.

rowIndexMin(X: matrix) -> matrix[nrow(X), 1]
    Finds the column in which each row has its smallest cell.

colSums(X: matrix) -> matrix
    Adds up each column.
    @operator

colMeans(X: matrix) -> matrix
    Averages each column.
    @operator

colMins(X: matrix) -> matrix
    Finds the smallest cell of each column.
    @operator

colMaxs(X: matrix) -> matrix
    Finds the largest cell of each column.
    @operator

colProds(X: matrix) -> matrix[1, ncol(X)]
    Multiplies the cells of each column.

colSds(X: matrix) -> matrix[1, ncol(X)]
    Computes the sample standard deviation of each column.

colVars(X: matrix) -> matrix[1, ncol(X)]
    Computes the sample variance of each column.

cumsum(X: matrix) -> matrix[nrow(X), ncol(X)]
    Adds up each column from the top, and keeps every partial sum.

rowcumsum(X: matrix) -> matrix[nrow(X), ncol(X)]
    Adds up each row from the left, and keeps every partial sum.

cumprod(X: matrix) -> matrix[nrow(X), ncol(X)]
    Multiplies each column from the top, and keeps every partial product.

cumsumprod(X: matrix) -> matrix[nrow(X), 1]
    Runs y = a + b * y down two columns a and b, and keeps every y.
    X: two columns, the summands and the factors

cummin(X: matrix) -> matrix[nrow(X), ncol(X)]
    Keeps the smallest cell of each column so far.

cummax(X: matrix) -> matrix[nrow(X), ncol(X)]
    Keeps the largest cell of each column so far.

countDistinct(data: matrix, dir: string = "rc") -> any
    Counts different values, in all cells, in each row, or in each column.
    @special
    @named

countDistinctApprox(data: matrix, type: string = "KMV", dir: string = "rc") -> any
    Estimates how many different values there are, by a sketch of their hashes.
    type: {"KMV"} the kind of sketch
    @special
    @named

rowCountDistinct(X: matrix) -> matrix[nrow(X), 1]
    Counts the different values of each row.

rowCountDistinctApprox(data: matrix, type: string = "KMV") -> matrix[nrow(data), 1]
    Estimates how many different values each row has.
    type: {"KMV"} the kind of sketch
    @named

colCountDistinct(X: matrix) -> matrix[1, ncol(X)]
    Counts the different values of each column.

colCountDistinctApprox(data: matrix, type: string = "KMV") -> matrix[1, ncol(data)]
    Estimates how many different values each column has.
    type: {"KMV"} the kind of sketch
    @named

aggregate(target: matrix, groups: matrix, fn: string, weights?: matrix, ngroups?: int, order?: int) -> matrix
    Aggregates the rows of each group by a function.
    target: the values, one column, or several with `ngroups`
    groups: the group of each row, counted from one
    fn: {"sum", "count", "mean", "variance", "centralmoment", "min", "max"} what to compute for a group
    weights: a weight for each row
    ngroups: how many groups there are
    order: {2, 3, 4} the order of the central moment
    @special
    @alias groupedAggregate
