# Distributions and statistics of columns.

cov(x: matrix, y: matrix, w?: matrix) -> double
    Computes the covariance of two columns, weighted where weights are given.
    x: one column
    y: another column of the same length
    w: a weight for each row

moment(x: matrix, w_or_k: matrix|scalar, k?: scalar) -> double
    Computes a central moment of a column, weighted if the second argument is a column of weights.
    x: one column
    w_or_k: the order of the moment, or a weight for each row
    k: {2, 3, 4} the order of the moment, behind weights
    @alias centralMoment

median(x: matrix, w?: matrix) -> double
    Finds the value in the middle of a column.
    x: one column
    w: how often each row counts

quantile(x: matrix, w_or_p: matrix|scalar, p?: matrix|scalar) -> any
    Finds the values below which given shares of a column lie.
    x: one column
    w_or_p: the shares between 0 and 1, or how often each row counts
    p: the shares between 0 and 1, behind weights
    @special

interQuantile(x: matrix, w_or_p: matrix|scalar, p?: matrix|scalar) -> matrix
    Keeps the rows of a column that lie between two quantiles.
    x: one column
    w_or_p: the share to cut off, or how often each row counts
    p: the share to cut off, behind weights

interQuartileMean(x: matrix, w?: matrix) -> double
    Averages the middle half of a column.
    x: one column
    w: how often each row counts

cdf(target: double, dist: string, mean?: double, sd?: double, df?: double, df1?: double, df2?: double,
    rate?: double, lower.tail: bool = TRUE) -> double
    Computes the probability that a random number of a distribution is at most a value.
    dist: {"normal", "t", "f", "chisq", "exp"} the distribution

icdf(target: double, dist: string, mean?: double, sd?: double, df?: double, df1?: double, df2?: double,
    rate?: double) -> double
    Finds the value that a random number of a distribution exceeds with a given probability.
    target: the probability
    dist: {"normal", "t", "f", "chisq", "exp"} the distribution

pnorm(target: double, mean: double = 0.0, sd: double = 1.0, lower.tail: bool = TRUE) -> double
    Computes cumulative probabilities of the normal distribution.

qnorm(target: double, mean: double = 0.0, sd: double = 1.0) -> double
    Finds quantiles of the normal distribution.
    target: the probability

pt(target: double, df: double, lower.tail: bool = TRUE) -> double
    Computes cumulative probabilities of the t distribution.

qt(target: double, df: double) -> double
    Finds quantiles of the t distribution.
    target: the probability

pf(target: double, df1: double, df2: double, lower.tail: bool = TRUE) -> double
    Computes cumulative probabilities of the F distribution.

qf(target: double, df1: double, df2: double) -> double
    Finds quantiles of the F distribution.
    target: the probability

pchisq(target: double, df: double, lower.tail: bool = TRUE) -> double
    Computes cumulative probabilities of the chi-squared distribution.

qchisq(target: double, df: double) -> double
    Finds quantiles of the chi-squared distribution.
    target: the probability

pexp(target: double, rate: double = 1.0, lower.tail: bool = TRUE) -> double
    Computes cumulative probabilities of the exponential distribution.

qexp(target: double, rate: double = 1.0) -> double
    Finds quantiles of the exponential distribution.
    target: the probability

# Scripts.

skewness(X: matrix) -> (Y: matrix[1, ncol(X)])
    Computes the skewness of each column.
    @script

cor(X: matrix) -> (Y: matrix[ncol(X), ncol(X)])
    Computes the correlation of each pair of columns.
    @script

univar(X: matrix, types: matrix) -> (univarStats: matrix[17, ncol(X)])
    Computes seventeen statistics of each column by its type.
    types: a row with the type of each column: 1 scale, 2 nominal, 3 ordinal
    @script
    @impure

bivar(X: matrix, S1: matrix, S2: matrix, T1: matrix, T2: matrix, verbose: bool)
    -> (basestats_scale_scale: matrix, basestats_nominal_scale: matrix, basestats_nominal_nominal: matrix,
    basestats_ordinal_ordinal: matrix)
    Computes statistics of pairs of columns by their types.
    S1: the columns of the first set
    S2: the columns of the second set
    T1: the types of the first set: 1 scale, 2 nominal, 3 ordinal
    T2: the types of the second set: 1 scale, 2 nominal, 3 ordinal
    @script
    @impure

stratstats(X: matrix, Y: matrix = matrix(0.0, rows=1,cols=1), S: matrix = matrix(0.0, rows=1,cols=1),
    Xcid: matrix = matrix(0.0, rows=1,cols=1), Ycid: matrix = matrix(0.0, rows=1,cols=1), Scid: int = 1,
    debug: bool = FALSE) -> (OutMtx: matrix)
    Computes statistics of pairs of columns within strata.
    X: the first columns of pairs
    Y: the second columns of pairs; the first ones again if left out
    S: the strata; left out, a column of X says them
    Xcid: which columns of X are taken
    Ycid: which columns of Y are taken
    Scid: which column holds the strata
    debug: whether details are printed
    @script
    @impure

statsNA(X: matrix, bins: int = 4, verbose: bool = TRUE) -> (stats: matrix)
    Describes how missing values of a series lie.
    X: one column, the values in order
    bins: into how many parts the series is cut
    @script
    @impure

differenceStatistics(X: matrix, Y: matrix)
    Prints how two matrices of one size differ.
    X: one matrix
    Y: the other matrix
    @script
    @impure

flattenQuantile(X: matrix, P: matrix) -> (Q: matrix)
    Computes quantiles of all cells together.
    P: the shares between 0 and 1
    @script

impurityMeasures(X: matrix, Y: matrix, R: matrix, n_bins: int = 20, method: string) -> (IM: matrix[1, ncol(X)])
    Measures how much each feature tells of a class, by Gini impurity or entropy.
    X: the features, one row for each observation
    Y: the class of each row, 0 or 1
    R: a row that marks each feature: 1 continuous, 2 categorical
    n_bins: into how many parts a continuous feature is cut
    method: {"gini", "entropy"} the measure
    @script

logSumExp(M: matrix, margin: string = "none") -> (output: matrix)
    Computes log(sum(exp(M))) so that nothing overflows.
    M: the values
    margin: {"none", "rows", "cols"} over all cells, of each row, or of each column
    @script
