# Repair of data: missing, wrong and extreme values.

where X: the values, one row for each observation
where mask: a row that marks each column: 1 if it is a category, else 0
where k: how many spreads a value may lie out
where repairMethod: {0, 1, 2} drop the rows, set outliers to zero, or make them missing
where max_iterations: the most rounds; 0 goes on until nothing is found
where ql: the lower quantile
where qu: the upper quantile

imputeByMean(X: matrix, mask: matrix) -> (X: matrix[nrow(X), ncol(X)], imputedVec: matrix[1, ncol(X)])
    Fills missing values with the mean of a number column, or the mode of a category.
    @script

imputeByMeanApply(X: matrix, imputedVec: matrix) -> (X: matrix[nrow(X), ncol(X)])
    Fills missing values with the means of other data.
    @script

imputeByMedian(X: matrix, mask: matrix) -> (X: matrix[nrow(X), ncol(X)], imputedVec: matrix[1, ncol(X)])
    Fills missing values with the median of a number column, or the mode of a category.
    @script

imputeByMedianApply(X: matrix, imputedVec: matrix) -> (X: matrix[nrow(X), ncol(X)])
    Fills missing values with the medians of other data.
    @script

imputeByMode(X: matrix) -> (X: matrix[nrow(X), ncol(X)], imputedVec: matrix[1, ncol(X)])
    Fills missing values with the most frequent one of their column.
    @script

imputeByModeApply(X: matrix, imputedVec: matrix) -> (X: matrix[nrow(X), ncol(X)])
    Fills missing values with the modes of other data.
    @script

imputeByFD(X: matrix, Y: matrix, threshold: double, verbose: bool = FALSE) -> (Y: matrix, Y_imp: matrix)
    Fills missing values of a column by a functional dependency on another.
    X: the column that decides
    Y: the column to fill
    threshold: how surely the dependency has to hold
    @script
    @impure

imputeByFDApply(X: matrix, Y_imp: matrix) -> (imputed_Y: matrix)
    Fills missing values by a functional dependency learned before.
    X: the column that decides
    @script

imputeByKNN(X: matrix, method: string = "dist", seed: int = -1, sample_frac: double = 0.1)
    -> (result: matrix[nrow(X), ncol(X)])
    Fills missing values from the nearest rows.
    method: {"dist", "dist_missing", "dist_sample"} which distances are computed
    sample_frac: the share of rows that are sampled
    @script
    @impure

mice(X: matrix, cMask: matrix, iter: int = 3, threshold: double = 0.8, verbose: bool = FALSE)
    -> (output: matrix, meta: matrix, threshold: double, dM: frame, betaList: list)
    Fills missing values again and again by models of each column on the others.
    cMask: a row that marks each column: 1 if it is a category, else 0
    iter: the number of rounds
    threshold: how sure a predicted category has to be
    @script
    @impure

miceApply(X: matrix, meta: matrix, threshold: double, dM: frame, betaList: list) -> (output: matrix)
    Fills missing values with the models of an earlier imputation.
    meta: metadata of the imputation
    threshold: how sure a predicted category has to be
    dM: metadata of the encoding
    betaList: the models of the columns
    @script
    @impure

outlier(X: matrix, opposite: bool) -> (Y: matrix[nrow(X), ncol(X)])
    Finds the rows that hold the value farthest from its column's mean.
    opposite: whether the farthest value on the other side is meant
    @script

outlierByArima(X: matrix, k: double = 3, repairMethod: int = 1, p: int = 0, d: int = 0, q: int = 0, P: int = 0,
    D: int = 0, Q: int = 0, s: int = 1, include_mean: bool = FALSE, solver: string = "jacobi")
    -> (X_corrected: matrix)
    Repairs the values of a series that lie far from a fitted model.
    X: one column, the values in order
    solver: {"jacobi", "cg"} how the residuals are computed
    @script
    @impure

outlierByIQR(X: matrix, k: double = 1.5, repairMethod: int = 1, max_iterations: int, verbose: bool = TRUE)
    -> (Y: matrix, Q1: matrix, Q3: matrix, IQR: matrix, k: double, repairMethod: int)
    Repairs values far outside the middle half of their column.
    @script
    @impure

outlierByIQRApply(X: matrix, Q1: matrix, Q3: matrix, IQR: matrix, k: double, repairMethod: int) -> (Y: matrix)
    Repairs values outside the bounds of other data's quartiles.
    @script

outlierBySd(X: matrix, k: double = 3, repairMethod: int = 1, max_iterations: int, verbose: bool = TRUE)
    -> (out: matrix, colMean: matrix, colSD: matrix, k: double, repairMethod: int)
    Repairs values that lie many standard deviations from their column's mean.
    @script
    @impure

outlierBySdApply(X: matrix, colMean: matrix, colSD: matrix, k: double, repairMethod: int) -> (Y: matrix)
    Repairs values by means and deviations of other data.
    @script

winsorize(X: matrix, ql: double = 0.05, qu: double = 0.95, verbose: bool)
    -> (Y: matrix[nrow(X), ncol(X)], qLower: matrix[1, ncol(X)], qUpper: matrix[1, ncol(X)])
    Moves extreme values to quantiles of their column.
    @script

winsorizeApply(X: matrix, qLower: matrix, qUpper: matrix) -> (Y: matrix[nrow(X), ncol(X)])
    Moves extreme values to quantiles of other data.
    @script

fixInvalidLengths(F1: frame, mask: matrix, ql: double = 0.05, qu: double = 0.99)
    -> (X: frame, mask: matrix, qLow: matrix, qUp: matrix)
    Repairs rows whose texts moved to other columns, judged by usual lengths.
    F1: the frame
    @script

fixInvalidLengthsApply(X: frame, mask: matrix, qLow: matrix, qUp: matrix) -> (X: frame)
    Repairs moved texts by usual lengths of other data.
    X: the frame
    @script

correctTypos(strings: frame, frequency_threshold: double = 0.05, distance_threshold: int = 2,
    is_verbose: bool = FALSE)
    -> (Y: frame, frequency_threshold: double, distance_threshold: int, distance_matrix: matrix, dict: frame)
    Corrects rare texts that nearly equal a frequent one.
    strings: one column of texts
    frequency_threshold: the share from which a text is frequent
    distance_threshold: the most letters in which two texts differ
    @script
    @impure

correctTyposApply(strings: frame, frequency_threshold: double = 0.05, distance_threshold: int = 2,
    distance_matrix: matrix, dict: frame) -> (Y: frame)
    Corrects texts with the dictionary of an earlier correction.
    strings: one column of texts
    frequency_threshold: the share from which a text is frequent
    distance_threshold: the most letters in which two texts differ
    distance_matrix: how far known texts are apart
    dict: the known texts with their frequencies
    @script

dmv(X: frame, threshold: double = 0.8, replace: string = "NA") -> (Y: frame)
    Finds disguised missing values by the patterns of texts, and replaces them.
    X: the frame
    threshold: the share of a column that follows its pattern
    replace: what stands for a missing value
    @script

dedup(X: frame, gloveMatrix: matrix, vocab: frame, similarityMeasure: string = "cosine", threshold: double = 0.8)
    -> (Y_unique: frame, Y_duplicates: frame)
    Finds rows that mean the same, by distances of word vectors.
    X: the frame
    gloveMatrix: a vector for each word
    vocab: the words
    similarityMeasure: {"cosine", "euclidean"} how vectors are compared
    threshold: from which similarity rows are the same
    @script
    @impure

mdedup(X: frame, LHSfeatures: matrix, LHSthreshold: matrix, RHSfeatures: matrix, RHSthreshold: matrix, verbose: bool)
    -> (MD: matrix)
    Finds rows that are the same by matching dependencies of columns.
    X: the frame
    LHSfeatures: the columns that decide
    LHSthreshold: how similar each of these has to be
    RHSfeatures: the columns that follow
    RHSthreshold: how similar each of these has to be
    @script
    @impure

denialConstraints(dataFrame: frame, constraintsFrame: frame) -> (WrongInstances: matrix)
    Finds rows that break rules on a table.
    dataFrame: the table
    constraintsFrame: the rules, one in each row
    @script
    @impure

discoverFD(X: matrix, Mask: matrix, threshold: double) -> (FD: matrix)
    Finds which columns decide which others.
    Mask: a row that marks the columns to look at
    threshold: the share of rows for which a dependency holds
    @script

frameSort(F: frame, mask: matrix, orderDesc: bool = TRUE) -> (f_ordered: frame[nrow(F), ncol(F)])
    Sorts a frame by its columns.
    F: the frame
    orderDesc: whether the largest comes first
    @script
