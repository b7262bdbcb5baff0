# Features and samples for a model.

where X: the features, one row for each observation
where Y: the labels, one for each row

scale(X: matrix, center: bool = TRUE, scale: bool = TRUE)
    -> (Out: matrix[nrow(X), ncol(X)], Centering: matrix[if center then 1 else 0, if center then ncol(X) else 0],
    ScaleFactor: matrix[if scale then 1 else 0, if scale then ncol(X) else 0])
    Shifts columns to mean zero, and divides them by their standard deviation.
    @script

scaleApply(X: matrix, Centering: matrix, ScaleFactor: matrix) -> (Y: matrix[nrow(X), ncol(X)])
    Shifts and divides columns by the means and deviations of other data.
    @script

scaleMinMax(X: matrix) -> (Y: matrix[nrow(X), ncol(X)])
    Maps each column to the range from 0 to 1.
    @script
    @impure

scaleRobust(X: matrix)
    -> (Y: matrix[nrow(X), ncol(X)], med: matrix[1, ncol(X)], q1: matrix[1, ncol(X)], q3: matrix[1, ncol(X)])
    Shifts columns by their median, and divides them by their interquartile range.
    @script

scaleRobustApply(X: matrix, med: matrix, q1: matrix, q3: matrix) -> (Y: matrix[nrow(X), ncol(X)])
    Shifts and divides columns by medians and quartiles of other data.
    @script

normalize(X: matrix) -> (Y: matrix[nrow(X), ncol(X)], cmin: matrix[1, ncol(X)], cmax: matrix[1, ncol(X)])
    Maps each column to the range from 0 to 1, and gives the extremes.
    @script

normalizeApply(X: matrix, cmin: matrix, cmax: matrix) -> (Y: matrix[nrow(X), ncol(X)])
    Maps columns by the extremes of other data.
    @script

toOneHot(X: matrix, numClasses: int) -> (Y: matrix[nrow(X), numClasses])
    Makes a row of zeros and a single one of each class.
    X: one column, the class of each row
    numClasses: the number of classes
    @script

frequencyEncode(X: matrix, mask: matrix) -> (X: matrix[nrow(X), ncol(X)], freqCount: matrix)
    Replaces categories by how often they occur.
    mask: a row that marks the columns to encode
    @script

frequencyEncodeApply(X: matrix, freqCount: matrix) -> (X: matrix[nrow(X), ncol(X)])
    Replaces categories by frequencies of other data.
    freqCount: how often each category occurs
    @script

WoE(X: matrix, Y: matrix, mask: matrix) -> (F: matrix[nrow(X), ncol(X)], entropyMatrix: matrix)
    Replaces categories by what they tell of a class: the weight of evidence.
    mask: a row that marks the columns to encode
    @script

WoEApply(X: matrix, Y: matrix, entropyMatrix: matrix) -> (F: matrix[nrow(X), ncol(X)])
    Replaces categories by the weights of evidence of other data.
    @script

selectByVarThresh(X: matrix, thresh: double = 0) -> (Xp: matrix[nrow(X), ?], I: matrix)
    Keeps the columns whose variance exceeds a bound.
    thresh: the bound
    @script

softmax(S: matrix) -> (P: matrix[nrow(S), ncol(S)])
    Turns the scores of each row into probabilities.
    S: the scores, one row for each observation
    @script
    @impure

split(X: matrix, Y: matrix, f: double = 0.7, cont: bool = TRUE, seed: int = -1)
    -> (X_Train: matrix, X_Test: matrix, Y_Train: matrix, Y_Test: matrix)
    Splits features and labels into a training and a test part.
    f: the share of rows to train with
    cont: whether the first rows are taken, and not random ones
    @script
    @impure

splitBalanced(X: matrix, Y: matrix, splitRatio: double = 0.7, verbose: bool = FALSE)
    -> (X_train: matrix, y_train: matrix, X_test: matrix, y_test: matrix)
    Splits rows into a training and a test part with equal shares of classes.
    splitRatio: the share of rows to train with
    @script
    @impure

smote(X: matrix, mask: matrix, s: int = 200, k: int = 1, verbose: bool = FALSE) -> (Y: matrix)
    Makes new rows of a rare class between neighbouring ones.
    X: the rows of the rare class
    mask: a row that marks each column: 1 if it is a category, else 0
    s: how many new rows are made, in percent; a multiple of 100
    k: the number of neighbours
    @script
    @impure

adasyn(X: matrix, Y: matrix, k: int = 2, beta: double = 1.0, dth: double = 0.9, seed: int = -1)
    -> (Xp: matrix, Yp: matrix)
    Makes new rows of the rare class, more where the classes mix.
    k: the number of neighbours
    beta: how balanced the classes become
    dth: from which imbalance on something is done
    @script
    @impure

underSampling(X: matrix, Y: matrix, ratio: double) -> (X: matrix, Y: matrix)
    Drops rows of the frequent class at random.
    ratio: the share of rows that are dropped
    @script
    @impure

tomeklink(X: matrix, y: matrix) -> (X_under: matrix, y_under: matrix, drop_idx: matrix)
    Drops the frequent class's row of each pair of nearest rows of two classes.
    y: the class of each row
    @script

ampute(X: matrix, prop: double = 0.5, patterns: matrix = matrix(0, 0, 0), freq: matrix = matrix(0, 0, 0),
    mech: string = "MAR", weights: matrix = matrix(0, 0, 0), seed: int = -1) -> (amputedX: matrix)
    Removes values at random, to test how they are filled.
    X: the values, complete
    prop: the share of rows that lose values
    patterns: which columns are lost together: 0 for lost, 1 for kept
    freq: how often each pattern occurs
    mech: {"MAR", "MNAR", "MCAR"} what decides on the loss
    weights: how much each column decides
    @script
    @impure

vectorToCsv(mask: matrix) -> (indexes: string)
    Writes the positions of ones in a row as text with commas.
    mask: the row
    @script
