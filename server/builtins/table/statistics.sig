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
