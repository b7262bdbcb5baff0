# Moving, selecting, and joining cells.

t(X: matrix) -> matrix
    Transposes a matrix.
    @operator

rev(X: matrix) -> matrix
    Reverses the order of the rows.
    @operator

roll(X: matrix, shift: int) -> matrix[nrow(X), ncol(X)]
    Moves all rows down, and those that fall off the end to the top.
    shift: by how many rows

diag(X: matrix) -> matrix
    Takes the diagonal of a square matrix, or puts a column on the diagonal of a new one.
    @operator

cbind(A: any, B?: any, ...) -> any
    Puts matrices or frames side by side, all elements of a list, or an element behind a list.
    @operator
    @alias append

rbind(A: any, B?: any, ...) -> any
    Stacks matrices or frames, all elements of a list, or puts an element behind a list.
    @operator

order(target: matrix, by: matrix|scalar = 1, decreasing: bool = FALSE, index.return: bool = FALSE)
    -> matrix[nrow(target), if index.return then 1 else ncol(target)]
    Sorts the rows by columns, or gives the order in which they would stand.
    by: the column to sort by, or a row of several
    decreasing: whether the largest comes first
    index.return: whether row numbers are given in place of rows
    @named

removeEmpty(target: matrix|frame, margin: string, select?: matrix, empty.return: bool = TRUE) -> matrix|frame
    Drops the rows or columns that are all zero, or that are not selected.
    margin: {"rows", "cols"} what is dropped
    select: a 1 for each row or column to keep
    empty.return: whether one empty row or column is left where nothing is kept
    @named

replace(target: matrix|frame, pattern: scalar, replacement: scalar) -> matrix|frame[nrow(target), ncol(target)]
    Replaces each occurrence of a value by another.
    pattern: the value to look for
    replacement: the value to put there

contains(target: matrix|frame, pattern: matrix|scalar) -> bool
    Tells whether a value occurs among the cells, or a row among the rows.
    pattern: what to look for

unique(data: matrix, dir: string = "rc") -> matrix
    Keeps each different value, row or column once.
    @special
    @named

lower.tri(target: matrix, diag: bool = FALSE, values: bool = FALSE) -> matrix[nrow(target), ncol(target)]
    Marks or keeps the cells below the diagonal, all others become zero.
    @named

upper.tri(target: matrix, diag: bool = FALSE, values: bool = FALSE) -> matrix[nrow(target), ncol(target)]
    Marks or keeps the cells above the diagonal, all others become zero.
    @named

table(A: matrix, B: matrix|scalar, w?: matrix|scalar, dim1?: int, dim2?: int, outputEmptyBlocks?: bool) -> matrix
    Counts how often each pair of two columns of positive whole numbers occurs.
    A: the row of each pair
    B: the column of each pair
    w: a weight for each pair; left out if two sizes follow
    dim1: the rows of the result
    dim2: the columns of the result
    outputEmptyBlocks: whether blocks without counts are written as well
    @special
    @alias ctable

rowClassMeet(A: matrix, B: matrix) -> (C: matrix, N: matrix)
    Numbers the pairs of classes that meet in two labellings of the same cells, and counts each.
    A: the first labelling
    B: the second labelling
    @alias rcm
