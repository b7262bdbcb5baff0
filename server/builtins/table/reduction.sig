# Factors and reduced dimensions.

where X: the matrix, one row for each observation
where maxi: the most iterations

als(X: matrix, rank: int = 10, regType: string = "L2", reg: double = 0.000001, maxi: int = 50, check: bool = TRUE,
    thr: double = 0.0001, seed: int = 1342516, verbose: bool = TRUE)
    -> (U: matrix[nrow(X), rank], V: matrix[rank, ncol(X)])
    Factors a matrix with missing cells into two narrow ones, by alternating least squares.
    @script
    @impure

alsCG(X: matrix, rank: int = 10, regType: string = "L2", reg: double = 0.000001, maxi: int = 50, check: bool = TRUE,
    thr: double = 0.0001, seed: int = 132521, verbose: bool = TRUE)
    -> (U: matrix[nrow(X), rank], V: matrix[rank, ncol(X)])
    Factors a matrix by alternating least squares with conjugate gradient steps.
    @script
    @impure

alsDS(X: matrix, rank: int = 10, reg: double = 0.000001, maxi: int = 50, check: bool = FALSE, thr: double = 0.0001,
    seed: int = 321452, verbose: bool = TRUE) -> (U: matrix[nrow(X), rank], V: matrix[rank, ncol(X)])
    Factors a matrix by alternating least squares with a direct solver.
    @script
    @impure

alsPredict(userIDs: matrix, I: matrix, L: matrix, R: matrix) -> (Y: matrix)
    Predicts cells of a factored matrix for pairs of user and item.
    @script

alsTopkPredict(userIDs: matrix, I: matrix, L: matrix, R: matrix, K: int = 5) -> (TopIxs: matrix, TopVals: matrix)
    Finds the items with the highest predictions for each user.
    K: how many items are given
    @script

gnmf(X: matrix, rnk: int, eps: double = 1e-8, maxi: int = 10) -> (W: matrix[nrow(X), rnk], H: matrix[rnk, ncol(X)])
    Factors a non-negative matrix for a Gaussian error.
    @script
    @impure

pnmf(X: matrix, rnk: int, eps: double = 1e-8, maxi: int = 10, verbose: bool = TRUE, seed: int = -1)
    -> (W: matrix[nrow(X), rnk], H: matrix[rnk, ncol(X)])
    Factors a non-negative matrix for a Poisson error.
    @script
    @impure

pca(X: matrix, K: int = 2, center: bool = TRUE, scale: bool = TRUE, onlyComponents: bool = FALSE)
    -> (XReduced: matrix[if onlyComponents then 0 else nrow(X), if onlyComponents then 0 else min(K, ncol(X))],
    Components: matrix[ncol(X), min(K, ncol(X))], Centering: matrix[if center then 1 else 0,
    if center then ncol(X) else 0], ScaleFactor: matrix[if scale then 1 else 0, if scale then ncol(X) else 0])
    Projects rows on the directions of largest variance.
    K: how many directions are kept
    onlyComponents: whether the projection is left out
    @script
    @impure

pcaTransform(X: matrix, Clusters: matrix, Centering: matrix = matrix(0, rows= 0, cols=0),
    ScaleFactor: matrix = matrix(0, rows= 0, cols=0)) -> (Y: matrix[nrow(X), ncol(Clusters)])
    Projects rows on directions found before.
    @script

pcaInverse(Y: matrix, Clusters: matrix, Centering: matrix = matrix(0, rows= 0, cols=0),
    ScaleFactor: matrix = matrix(0, rows= 0, cols=0)) -> (X: matrix[nrow(Y), nrow(Clusters)])
    Brings projected rows back to the space of features.
    Y: the projected rows
    @script

ppca(X: matrix, K: int = 2, maxi: int = 10, tolobj: double = 0.00001, tolrecerr: double = 0.02, verbose: bool = TRUE)
    -> (Xout: matrix, Mout: matrix)
    Projects rows by a probabilistic model of principal components, found by iteration.
    K: how many directions are kept
    tolobj: where to stop: the smallest relative change of the objective
    tolrecerr: where to stop: the error of reconstruction
    @script
    @impure

tSNE(X: matrix, reduced_dims: int = 2, perplexity: int = 30, lr: double = 300., momentum: double = 0.9,
    max_iter: int = 1000, tol: double = 1e-5, seed: int = -1, is_verbose: bool = FALSE, print_iter: int = 10)
    -> (Y: matrix[nrow(X), reduced_dims])
    Places rows in a few dimensions, so that neighbours stay neighbours.
    reduced_dims: the number of dimensions
    perplexity: about how many neighbours count
    lr: the size of a step
    print_iter: how many iterations lie between two messages
    @script
    @impure

glove(input: frame, seed: int, vector_size: int, alpha: double, eta: double, x_max: double, tol: double,
    iterations: int, print_loss_it: int, maxTokens: int, windowSize: int, distanceWeighting: bool, symmetric: bool)
    -> (G: frame)
    Learns word vectors from how often words stand together.
    input: the texts
    vector_size: the length of a vector
    alpha: the exponent of the weights
    eta: the size of a step
    x_max: the count from which a pair has full weight
    iterations: the most iterations
    print_loss_it: how many iterations lie between two messages
    @script
    @impure

cooccurrenceMatrix(input: frame, maxTokens: int, windowSize: int, distanceWeighting: bool, symmetric: bool)
    -> (coocMatrix: matrix, column: frame)
    Counts how often words stand near each other.
    input: the texts
    @script
    @impure

deepWalk(Graph: matrix, w: int, d: int, gamma: int, t: int, alpha: double = 0.025, beta: double = 0.9)
    -> (Phi: matrix)
    Learns vectors of a graph's vertices from random walks.
    Graph: the adjacency matrix
    w: how far a window reaches
    d: the length of a vector
    gamma: the walks from each vertex
    t: the length of a walk
    alpha: the size of a step at the start
    beta: the factor of the step size
    @script
    @impure
