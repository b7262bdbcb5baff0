# Errors of numbers and scores of classes.

where X: the predicted values
where Y: the true values
where P: a weight for each row

mse(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0)) -> (Z: matrix, Q: matrix)
    Averages squared errors.
    @script

rmse(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0)) -> (Z: matrix, Q: matrix)
    Takes the root of the average squared error.
    @script

nrmse(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0)) -> (Z: matrix, Q: matrix)
    Divides the root of the average squared error by the range of the true values.
    @script

mae(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0)) -> (Z: matrix, Q: matrix)
    Averages absolute errors.
    @script

mape(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0)) -> (Z: matrix, Q: matrix)
    Averages absolute errors in relation to the true values.
    @script

smape(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0)) -> (Z: matrix, Q: matrix)
    Averages absolute errors in relation to both values.
    @script

msmape(X: matrix, Y: matrix, P: matrix = matrix(0, rows=0, cols=0), eps: double = 1e-10) -> (Z: matrix, Q: matrix)
    Averages absolute errors in relation to both values, with a floor under the divisor.
    eps: the floor under the divisor
    @script

psnr(X: matrix, Y: matrix) -> (Z: matrix)
    Computes the peak signal-to-noise ratio of two matrices.
    X: one matrix
    Y: the other matrix
    @script

auc(Y: matrix, P: matrix) -> (auc: double)
    Computes the area under the curve of true and false positives.
    Y: the true classes, 1 and -1
    P: the predicted scores
    @script

confusionMatrix(P: matrix, Y: matrix) -> (confusionSum: matrix, confusionAvg: matrix)
    Counts predicted by true classes, and gives the shares as well.
    P: the predicted classes
    Y: the true classes
    @script

f1Score(P: matrix, Y: matrix) -> (score: double)
    Computes the harmonic mean of precision and recall.
    P: the predicted classes
    Y: the true classes
    @script

fdr(P: matrix, Y: matrix) -> (FDR: matrix)
    Computes for each class which share of its predictions is wrong.
    P: the predicted classes
    Y: the true classes
    @script
    @alias FDR

getAccuracy(y: matrix, yhat: matrix, isWeighted: bool = FALSE) -> (accuracy: double)
    Computes which share of predictions is right.
    y: the true classes
    yhat: the predicted classes
    isWeighted: whether classes count alike, however frequent they are
    @script

mcc(predictions: matrix, labels: matrix) -> (mattCC: double)
    Computes the correlation of predicted and true classes by Matthews.
    predictions: the predicted classes, 0 or 1
    labels: the true classes, 0 or 1
    @script

wer(R: frame, H: frame) -> (W: matrix)
    Computes the share of words that differ between two texts.
    R: the right texts
    H: the texts to judge
    @script
