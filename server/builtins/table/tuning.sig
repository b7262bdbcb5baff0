# Search for parameters and pipelines, and where models fail.

where X: the encoded features, one row for each observation
where e: the error of each row
where k: how many slices are given
where maxL: the most conditions of a slice; 0 for no bound
where minSup: the fewest rows of a slice; 0 lets the number of rows decide
where alpha: the weight of errors against size
where tpEval: whether slices are evaluated in parallel
where tpBlksz: how many slices are evaluated at once
where selFeat: whether features without promise are dropped first
where TK: the worst slices
where TKC: the scores of the worst slices
where evaluationFunc: the function that scores a pipeline
where evalFunHp: the parameters of that function
where metaData: schema, categories, and what is known of columns
where pip: the steps of the pipeline
where applyFunc: the functions that apply each step
where isLastLabel: whether the last column is the label
where correctTypos: whether typing errors are corrected first
where cvk: the number of folds
where cv: whether folds are used

gridSearch(X: matrix, y: matrix, train: string, predict: string, numB: int = ncol(X), params: list, paramValues: list,
    trainArgs: list = list(), dataArgs: list = list(), predictArgs: list = list(), cv: bool = FALSE, cvk: int = 5,
    verbose: bool = TRUE) -> (B: matrix, opt: frame)
    Trains with each combination of parameter values, and keeps the best.
    train: the function that trains
    predict: the function that scores
    numB: the rows of a model
    params: the names of the parameters
    paramValues: the values of each parameter
    trainArgs: more arguments for training
    dataArgs: the names of the arguments with data
    predictArgs: more arguments for scoring
    @script
    @impure

hyperband(X_train: matrix, y_train: matrix, X_val: matrix, y_val: matrix, params: list, paramRanges: matrix,
    R: int = 81, eta: int = 3, verbose: bool = TRUE) -> (bestWeights: matrix, bestHyperParams: frame)
    Searches parameters by training many settings briefly and the best ones longer.
    params: the names of the parameters
    paramRanges: the smallest and largest value of each parameter
    R: the most resources for a setting
    eta: which share of settings goes on
    @script
    @impure

bandit(X_train: matrix, Y_train: matrix, X_test: matrix, Y_test: matrix, metaList: list, evaluationFunc: string,
    evalFunHp: matrix, lp: frame, lpHp: matrix, primitives: frame, param: frame, k: int = 3, R: int = 50,
    baseLineScore: double, cv: bool, cvk: int = 2, ref: double = 0, seed: int = -1, enablePruning: bool = FALSE,
    verbose: bool = TRUE) -> (bestPipeline: frame, bestHyperparams: matrix, bestAccuracy: matrix, applyFunc: frame)
    Searches cleaning pipelines by giving more resources to better ones.
    metaList: what is known of the columns
    lp: the logical pipelines
    lpHp: their parameters
    primitives: the operations that steps can be
    param: the parameters of the operations
    k: how many pipelines are given
    R: the resources
    baseLineScore: the score without cleaning
    ref: the score to reach
    enablePruning: whether bad pipelines are left early
    @script
    @impure

topk_cleaning(dataTrain: frame, dataTest: frame = as.frame("NULL"), metaData: frame = as.frame("NULL"),
    primitives: frame, parameters: frame, refSol: frame = as.frame("NaN"), evaluationFunc: string, evalFunHp: matrix,
    topK: int = 5, resource_val: int = 20, max_iter: int = 10, lq: double = 0.1, uq: double = 0.7,
    sample: double = 1.0, expectedIncrease: double = 1.0, seed: int = -1, cv: bool = TRUE, cvk: int = 2,
    isLastLabel: bool = TRUE, rowCount: int = 3700, correctTypos: bool = FALSE, enablePruning: bool = FALSE)
    -> (topKPipelines: frame, topKHyperParams: matrix, topKScores: matrix, dirtyScore: double, evalFunHp: matrix,
    applyFunc: frame)
    Finds the best pipelines that clean data for a task.
    dataTrain: the training data
    dataTest: the test data
    primitives: the operations that steps can be
    parameters: the parameters of the operations
    refSol: a pipeline to compare with
    topK: how many pipelines are given
    resource_val: the resources
    max_iter: the most iterations
    lq: the lower quantile
    uq: the upper quantile
    sample: the share of rows to search with
    expectedIncrease: by how much a score should rise
    rowCount: the rows from which on a sample is drawn
    enablePruning: whether bad pipelines are left early
    @script
    @impure

fit_pipeline(trainData: frame, testData: frame, metaData: frame = as.frame("NULL"), pip: frame, applyFunc: frame,
    hp: matrix, cvk: int = 3, evaluationFunc: string, evalFunHp: matrix, isLastLabel: bool = TRUE,
    correctTypos: bool = FALSE, allCombinations: bool = FALSE)
    -> (scores: matrix, cleanTrain: matrix, cleanTest: matrix, externalState: list, iState: list)
    Fits a cleaning pipeline, and gives scores and cleaned data.
    trainData: the training data
    testData: the test data
    hp: the parameters of the steps
    allCombinations: whether every combination of steps is tried
    @script
    @impure

apply_pipeline(testData: frame, metaData: frame = as.frame("NULL"), pip: frame, applyFunc: frame, hp: matrix,
    isLastLabel: bool = TRUE, exState: list, iState: list, correctTypos: bool = FALSE) -> (eXtest: matrix)
    Cleans new data by a fitted pipeline.
    testData: the data to clean
    hp: the parameters of the steps
    exState: what the steps learned
    iState: what the steps learned inside
    @script
    @impure

executePipeline(pipeline: frame, Xtrain: matrix, Ytrain: matrix, Xtest: matrix, Ytest: matrix, metaList: list,
    hyperParameters: matrix, hpForPruning: matrix = as.matrix(0), changesByOp: matrix = as.matrix(0), flagsCount: int,
    test: bool = FALSE, verbose: bool, startInd: int, endInd: int)
    -> (Xtrain: matrix, Ytrain: matrix, Xtest: matrix, Ytest: matrix, t2: double, hpForPruning: matrix,
    changesByOp: matrix, changesAll: double, internalStates: list)
    Runs the steps of a pipeline over training and test data.
    pipeline: the steps
    metaList: what is known of the columns
    hyperParameters: the parameters of the steps
    hpForPruning: the parameters by which pipelines are left early
    changesByOp: how many cells each step changed
    flagsCount: how many marks a step's parameters begin with
    test: whether test data are cleaned
    startInd: the first step
    endInd: the last step
    @script
    @impure

sliceLine(X: matrix, e: matrix, k: int = 4, maxL: int = 0, minSup: int = 32, alpha: double = 0.5, tpEval: bool = TRUE,
    tpBlksz: int = 16, selFeat: bool = FALSE, verbose: bool = FALSE) -> (TK: matrix, TKC: matrix, D: matrix)
    Finds the slices of data where a model is worst.
    @script
    @impure

slicefinder(X: matrix, e: matrix, k: int = 4, maxL: int = 0, minSup: int = 32, alpha: double = 0.5,
    tpEval: bool = TRUE, tpBlksz: int = 16, selFeat: bool = FALSE, verbose: bool = FALSE)
    -> (TK: matrix, TKC: matrix, D: matrix)
    Finds bad slices of data, under its former name.
    @script
    @impure
    @deprecated sliceLine

sliceLineDebug(TK: matrix, TKC: matrix, tfmeta: frame, tfspec: string) -> (S: matrix)
    Writes slices as readable conditions.
    tfmeta: metadata of the encoding
    tfspec: how columns were encoded, as JSON
    @script
    @impure

sliceLineExtract(X: matrix, e: matrix, TK: matrix, TKC: matrix, k2: int = -1) -> (Xtk: matrix, etk: matrix, I: matrix)
    Takes the rows of the worst slices.
    k2: how many slices are taken; -1 for all
    @script

incSliceLine(addedX: matrix, oldX: matrix = matrix(0, 0, 0), oldE: matrix = matrix(0, 0, 0), addedE: matrix,
    k: int = 4, maxL: int = 0, minSup: int = 32, alpha: double = 0.5, tpEval: bool = TRUE, tpBlksz: int = 16,
    selFeat: bool = FALSE, indicesRemoved: matrix = matrix(0,0,0), verbose: bool = FALSE, params: list = list(),
    prevFoffb: matrix = matrix(0,0,0), prevFoffe: matrix = matrix(0,0,0), prevLattice: list = list(),
    metaPrevLattice: list = list(), prevStats: list = list(), prevTK: matrix = matrix(0,0,0),
    prevTKC: matrix = matrix(0,0,0), encodeLat: bool = TRUE, pruningStrat: int = 1)
    -> (TK: matrix, TKC: matrix, D: matrix, L: list, metaLattice: list, Stats: list, Xout: matrix, eOut: matrix,
    foffb: matrix, foffe: matrix, params: list)
    Finds the worst slices anew after rows came or went.
    addedX: the new rows
    oldX: the rows before
    oldE: their errors
    addedE: the errors of the new rows
    indicesRemoved: the positions of rows that went
    params: what the search was started with
    prevFoffb: where each feature began
    prevFoffe: where each feature ended
    prevLattice: the slices looked at before
    metaPrevLattice: what was known of them
    prevStats: their statistics
    prevTK: the worst slices before
    prevTKC: their scores
    encodeLat: whether the slices are kept encoded
    pruningStrat: {0, 1, 2, 3, 4, 5, 6, 7} which slices are left early
    @script
    @impure

shapExplainer(model_function: string, model_args: list, x_instances: matrix, X_bg: matrix, n_permutations: int = 10,
    n_samples: int = 100, remove_non_var: int = 0, partitions: matrix = as.matrix(-1), seed: int = -1,
    verbose: int = 0) -> (row_phis: matrix, expected: double)
    Estimates how much each feature contributes to a prediction: Shapley values.
    model_function: the function that predicts
    model_args: its other arguments
    x_instances: the rows to explain
    X_bg: the rows to compare with
    n_permutations: the orders of features that are tried
    n_samples: the rows that are drawn for each
    remove_non_var: whether features that do not vary are left out
    partitions: features that go together
    verbose: how much is printed
    @script
    @impure

xdummy1(X: matrix)
    Tests how the engine reports a script without its function.
    @script
    @impure

xdummy2(X: matrix)
    Tests how the engine reports a script with errors.
    @script
    @impure
