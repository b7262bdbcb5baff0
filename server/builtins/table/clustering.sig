# Grouping of rows, and their neighbours.

where X: the rows to group

kmeans(X: matrix, k: int = 10, runs: int = 10, max_iter: int = 1000, eps: double = 0.000001, is_verbose: bool = FALSE,
    avg_sample_size_per_centroid: int = 50, seed: int = -1) -> (C: matrix[k, ncol(X)], Y: matrix[nrow(X), 1])
    Groups rows around k centres, by several runs from random starts.
    k: the number of groups
    runs: how many starts are tried
    avg_sample_size_per_centroid: how many rows are sampled for each centre at the start
    @script
    @impure

kmeansPredict(X: matrix, C: matrix) -> (Y: matrix[nrow(X), 1])
    Assigns each row to its nearest centre.
    C: the centres, one in each row
    @script

dbscan(X: matrix, eps: double = 0.5, minPts: int = 5) -> (clusterMembers: matrix, clusterModel: matrix)
    Groups rows by density, and leaves out sparse ones.
    eps: the largest distance of two neighbours
    minPts: how many neighbours make a dense place, the row itself included
    @script
    @impure

dbscanApply(X: matrix, clusterModel: matrix, eps: double) -> (cluster: matrix, outlierPoints: matrix)
    Assigns rows to the groups of a density clustering.
    clusterModel: the dense rows with their groups
    eps: the largest distance of two neighbours
    @script

gmm(X: matrix, n_components: int = 3, model: string = "VVV", init_params: string = "kmeans", iter: int = 100,
    reg_covar: double = 1e-6, tol: double = 0.000001, seed: int = -1, verbose: bool = FALSE)
    -> (labels: matrix, predict_prob: matrix, df: int, bic: double, mu: matrix, prec_chol: matrix, weight: matrix)
    Fits a mixture of normal distributions by expectation maximization.
    n_components: the number of distributions
    model: {"VVV", "EEE", "VVI", "VII"} the form of the covariances
    init_params: {"kmeans", "random"} where to start
    iter: the most iterations
    reg_covar: what is added to the diagonal of covariances
    @script
    @impure

gmmPredict(X: matrix, weight: matrix, mu: matrix, precisions_cholesky: matrix, model: string = "VVV")
    -> (labels: matrix, predict_prob: matrix)
    Assigns rows to the distributions of a mixture.
    weight: the weight of each distribution
    mu: the mean of each distribution
    precisions_cholesky: the factors of the inverse covariances
    model: {"VVV", "EEE", "VVI", "VII"} the form of the covariances
    @script

knnbf(X: matrix, T: matrix, k_value: int = 5) -> (NNR: matrix)
    Finds the nearest neighbours of each row by comparing it with all others.
    T: the rows whose neighbours are wanted
    k_value: the number of neighbours
    @script

knnGraph(X: matrix, k: int) -> (graph: matrix)
    Builds the graph of nearest neighbours.
    k: the number of neighbours
    @script

dist(X: matrix) -> (Y: matrix[nrow(X), nrow(X)])
    Computes the Euclidean distance of each pair of rows.
    @script

quantizeByCluster(X: matrix, M: int = 4, k: int = 10, runs: int = 10, max_iter: int = 1000, eps: double = 1e-6,
    avg_sample_size_per_centroid: int = 50, separate: bool = TRUE, space_decomp: bool = FALSE, seed: int = -1)
    -> (codebook: matrix, codes: matrix, R: matrix)
    Quantizes parts of rows by the centres of k-means: a product quantization.
    M: the number of parts of a row
    k: the number of centres for each part
    runs: how many starts of k-means are tried
    avg_sample_size_per_centroid: how many rows are sampled for each centre at the start
    separate: whether each part has centres of its own
    space_decomp: whether features are rotated and grouped first
    @script
    @impure

hospitalResidencyMatch(R: matrix, H: matrix, capacity: matrix, verbose: bool = FALSE)
    -> (residencyMatch: matrix, hospitalMatch: matrix)
    Matches residents to hospitals with several places, so that no pair would rather have each other.
    R: the preferences of the residents
    H: the preferences of the hospitals
    capacity: the places of each hospital
    @script
    @impure

stableMarriage(P: matrix, A: matrix, ordered: bool = TRUE, verbose: bool = FALSE) -> (result_matrix: matrix)
    Matches proposers to acceptors, so that no pair would rather have each other.
    P: the preferences of the proposers
    A: the preferences of the acceptors
    ordered: whether preferences are lists in order, and not ranks
    @script
    @impure
