# Graphs, sets and relations.

where G: the adjacency matrix

components(G: matrix, maxi: int = 0, verbose: bool = TRUE) -> (C: matrix[nrow(G), 1])
    Finds the connected component of each vertex.
    maxi: the most iterations; 0 for no bound
    @script
    @impure

pageRank(G: matrix, p: matrix = as.matrix(1), e: matrix = as.matrix(1), u: matrix = as.matrix(1),
    alpha: double = 0.85, max_iter: int = 20, seed: int = -1) -> (pprime: matrix)
    Ranks vertices by the chance that a random surfer is there.
    p: the ranks to start from
    e: a column of ones
    u: a row of chances to jump to each vertex
    alpha: the chance to follow an edge
    @script
    @impure

shortestPath(G: matrix, maxi: int = 0, sourceNode: int, verbose: bool = FALSE) -> (C: matrix)
    Computes the distance of each vertex from one of them.
    maxi: the most iterations; 0 for no bound
    sourceNode: the vertex to start from
    @script
    @impure

union(X: matrix, Y: matrix) -> (R: matrix)
    Joins two sets of values or rows.
    X: one set
    Y: the other set
    @script

intersect(X: matrix, Y: matrix) -> (R: matrix)
    Takes the values that are in both sets.
    X: one set
    Y: the other set
    @script

setdiff(X: matrix, Y: matrix) -> (R: matrix)
    Takes the values of one set that are not in the other.
    X: one set
    Y: the other set
    @script

symmetricDifference(X: matrix, Y: matrix) -> (R: matrix)
    Takes the values that are in just one of two sets.
    X: one set
    Y: the other set
    @script

raSelection(X: matrix, col: int, op: string, val: double) -> (Y: matrix)
    Selects the rows of a table whose column compares to a value.
    X: the table
    col: the column
    op: {"==", "!=", "<", ">", "<=", ">="} the comparison
    val: the value
    @script

raJoin(A: matrix, colA: int, B: matrix, colB: int, method: string) -> (Y: matrix)
    Joins two tables by equal values of a column of each.
    A: the left table
    colA: the column of the left table
    B: the right table
    colB: the column of the right table
    method: {"nested-loop", "sort-merge", "hash", "hash2"} how it is computed
    @script

raGroupby(X: matrix, col: int, method: string) -> (Y: matrix)
    Groups the rows of a table by a column.
    X: the table
    col: the column
    method: {"nested-loop", "permutation-matrix"} how it is computed
    @script
