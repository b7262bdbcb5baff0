# Predicting classes.

where X: the features, one row for each observation
where Y: the class of each row, counted from one
where cW1: the first weights of the network over characters
where cb1: the first biases of the network over characters
where cW2: the second weights of the network over characters
where cb2: the second biases of the network over characters
where cW3: the third weights of the network over characters
where cb3: the third biases of the network over characters
where wW1: the first weights of the network over words
where wb1: the first biases of the network over words
where wW2: the second weights of the network over words
where wb2: the second biases of the network over words
where wW3: the third weights of the network over words
where wb3: the third biases of the network over words
where pW1: the first weights of the network over paragraphs
where pb1: the first biases of the network over paragraphs
where pW2: the second weights of the network over paragraphs
where pb2: the second biases of the network over paragraphs
where pW3: the third weights of the network over paragraphs
where pb3: the third biases of the network over paragraphs
where sW1: the first weights of the network over statistics
where sb1: the first biases of the network over statistics
where sW2: the second weights of the network over statistics
where sb2: the second biases of the network over statistics
where sW3: the third weights of the network over statistics
where sb3: the third biases of the network over statistics
where fW1: the first weights of the network that joins the others
where fb1: the first biases of the network that joins the others
where fW2: the second weights of the network that joins the others
where fb2: the second biases of the network that joins the others
where fW3: the third weights of the network that joins the others
where fb3: the third biases of the network that joins the others
where epsilon: where to stop: the smallest relative decrease of the objective

l2svm(X: matrix, Y: matrix, intercept: bool = FALSE, epsilon: double = 0.001, reg: double = 1,
    maxIterations: int = 100, maxii: int = 20, verbose: bool = FALSE, columnId: int = -1)
    -> (model: matrix[ncol(X) + (intercept > 0), 1])
    Trains a support vector machine with squared hinge loss for two classes.
    Y: the class of each row, one of two values
    maxIterations: the most outer iterations
    maxii: the most steps of a line search
    columnId: the class to name in messages
    @script
    @impure

l2svmPredict(X: matrix, W: matrix, verbose: bool = FALSE) -> (YRaw: matrix, Y: matrix)
    Scores rows with a two-class support vector machine, and rounds scores to classes.
    @script

msvm(X: matrix, Y: matrix, intercept: bool = FALSE, epsilon: double = 0.001, reg: double = 1.0,
    maxIterations: int = 100, verbose: bool = FALSE) -> (model: matrix[ncol(X) + (intercept > 0), ?])
    Trains one support vector machine for each class against all others.
    maxIterations: the most iterations for each class
    @script
    @impure

msvmPredict(X: matrix, W: matrix) -> (YRaw: matrix, Y: matrix)
    Scores rows for every class of a support vector machine, and takes the best class.
    @script
    @impure

multiLogReg(X: matrix, Y: matrix, icpt: int = 2, tol: double = 1e-6, reg: double = 1.0, maxi: int = 100,
    maxii: int = 20, verbose: bool = TRUE) -> (betas: matrix[ncol(X) + (icpt > 0), ?])
    Fits a multinomial logistic regression by a trust region Newton method.
    maxi: the most outer iterations
    maxii: the most inner iterations; 0 for no bound
    @script
    @impure

multiLogRegPredict(X: matrix, B: matrix, Y: matrix = matrix(0,1,1), verbose: bool = FALSE)
    -> (M: matrix, predicted_Y: matrix, accuracy: double)
    Predicts class probabilities and classes with a multinomial logistic regression.
    Y: the true classes, to compute the accuracy
    @script
    @impure

naiveBayes(D: matrix, C: matrix, laplace: double = 1, verbose: bool = TRUE)
    -> (prior: matrix, classConditionals: matrix)
    Fits a naive Bayes classifier to counts.
    D: the counts, one row for each observation
    C: the class of each row, counted from one
    laplace: what is added to each count
    @script
    @impure

naiveBayesPredict(X: matrix, P: matrix, C: matrix) -> (YRaw: matrix, Y: matrix)
    Scores rows with a naive Bayes classifier, and takes the likeliest class.
    P: the prior of each class
    C: the conditional probabilities of each class
    @script

gaussianClassifier(D: matrix, C: matrix, varSmoothing: double = 1e-9, verbose: bool = TRUE)
    -> (classPriors: matrix, classMeans: matrix, classInvCovariances: list, determinants: matrix)
    Fits a normal distribution to each class.
    D: the features, one row for each observation
    C: the class of each row, counted from one
    varSmoothing: the share of the largest variance that is added to all
    @script
    @impure

decisionTree(X: matrix, y: matrix, ctypes: matrix, max_depth: int = 10, min_leaf: int = 20, min_split: int = 50,
    max_features: double = 0.5, max_values: double = 1.0, max_dataratio: double = 0.25, impurity: string = "gini",
    seed: int = -1, verbose: bool = FALSE) -> (M: matrix)
    Grows a decision tree for scaled and categorical features.
    @script
    @impure

randomForest(X: matrix, y: matrix, ctypes: matrix, num_trees: int = 16, sample_frac: double = 0.1,
    feature_frac: double = 1.0, max_depth: int = 10, min_leaf: int = 20, min_split: int = 50,
    max_features: double = 0.5, max_values: double = 1.0, impurity: string = "gini", seed: int = -1,
    verbose: bool = FALSE) -> (M: matrix)
    Grows many decision trees, each on a sample of rows and features.
    num_trees: how many trees are grown
    sample_frac: the share of rows for each tree
    feature_frac: the share of features for each tree
    @script
    @impure

decisionTreePredict(X: matrix, y: matrix = matrix(0,0,0), ctypes: matrix, M: matrix, strategy: string = "TT",
    verbose: bool = FALSE) -> (yhat: matrix)
    Predicts with a decision tree.
    y: the true labels, to print the accuracy
    strategy: {"TT", "GEMM"} how a tree is evaluated: by traversal or by matrix products
    @script
    @impure

randomForestPredict(X: matrix, y: matrix = matrix(0,0,0), ctypes: matrix, M: matrix, verbose: bool = FALSE)
    -> (yhat: matrix)
    Predicts with the votes of a random forest.
    y: the true labels, to print the accuracy
    @script
    @impure

knn(Train: matrix, Test: matrix, CL: matrix, CL_T: int = 0, trans_continuous: int = 0, k_value: int = 5,
    select_k: int = 0, k_min: int = 1, k_max: int = 100, select_feature: int = 0, feature_max: int = 10,
    interval: int = 1000, feature_importance: int = 0, predict_con_tg: int = 0, START_SELECTED: matrix = matrix(0, 0,
    0)) -> (NNR_matrix: matrix, CL_matrix: matrix, m_feature_importance: matrix)
    Finds nearest neighbours and votes with them, with optional choice of k and features.
    Train: the known rows
    Test: the rows to classify
    CL: the class of each known row
    CL_T: {0, 1, 2} what the classes are: 0 not said, 1 numbers, 2 categories
    trans_continuous: whether continuous features are rescaled to between -1 and 1
    k_value: the number of neighbours
    select_k: whether the best number of neighbours is searched for
    k_min: the smallest number of neighbours to try
    k_max: the largest number of neighbours to try
    select_feature: whether features are selected
    feature_max: the most features to select
    interval: the rows of a block
    feature_importance: whether the importance of features is computed
    predict_con_tg: what a continuous target is: 0 an average, 1 a median
    START_SELECTED: features to start with
    @script
    @impure

ffTrain(X: matrix, Y: matrix, batch_size: int = 64, epochs: int = 20, learning_rate: double = 0.003,
    out_activation: string, loss_fcn: string, shuffle: bool = FALSE, validation_split: double = 0.0, seed: int = -1,
    verbose: bool = FALSE) -> (model: list)
    Trains a feed-forward network with one hidden layer.
    Y: the targets
    out_activation: {"logits", "sigmoid", "relu", "lrelu", "tanh", "softmax"} the function of the last layer
    loss_fcn: {"l1", "l2", "log_loss", "logcosh_loss", "cel"} the loss
    shuffle: whether rows are shuffled first
    validation_split: the share of rows to validate with
    @script
    @impure

ffPredict(model: list, X: matrix, batch_size: int = 128) -> (pred: matrix)
    Applies a feed-forward network.
    model: the trained network
    @script
    @impure

lenetTrain(X: matrix, Y: matrix, X_val: matrix, Y_val: matrix, C: int, Hin: int, Win: int, batch_size: int = 64,
    epochs: int = 20, lr: double = 0.01, mu: double = 0.9, decay: double = 0.95, reg: double = 5e-04,
    verbose: bool = FALSE, seed: int = -1) -> (model: list)
    Trains a LeNet convolutional network on images.
    X: the images, one in each row
    Y: the classes as one-hot rows
    @script
    @impure

lenetPredict(model: list, X: matrix, C: int, Hin: int, Win: int, batch_size: int = 128) -> (probs: matrix)
    Applies a LeNet network to images.
    X: the images, one in each row
    model: the trained network
    @script
    @impure

independentSubnetTrain(model: list, features: matrix, labels: matrix, val_features: matrix, val_labels: matrix,
    upd: string, agg: string, epochs: int, batchsize: int, j: int, numSubnets: int, hyperparams: list, verbose: bool,
    paramsPerLayer: int, fullyConnectedLayers: list) -> (trained_model: list)
    Trains disjoint parts of a network on their own, and joins them again and again.
    model: the parameters to start from
    upd: the function that makes a step of the optimizer
    agg: the function that joins shared parameters
    batchsize: the rows of a batch
    j: the steps between two joins
    numSubnets: the number of parts
    hyperparams: what the functions need besides
    paramsPerLayer: the number of parameters of each layer
    fullyConnectedLayers: the positions of fully connected layers
    @script
    @impure

autoencoder_2layer(X: matrix, num_hidden1: int, num_hidden2: int, max_epochs: int, full_obj: bool = FALSE,
    batch_size: int = 256, step: double = 1e-5, decay: double = 0.95, mu: double = 0.9, W1_rand: matrix = matrix(0,
    rows=0, cols=0), W2_rand: matrix = matrix(0, rows=0, cols=0), W3_rand: matrix = matrix(0, rows=0, cols=0),
    W4_rand: matrix = matrix(0, rows=0, cols=0), order_rand: matrix = matrix(0, rows=0, cols=0))
    -> (W1: matrix, b1: matrix, W2: matrix, b2: matrix, W3: matrix, b3: matrix, W4: matrix, b4: matrix,
    reordered_H: matrix)
    Trains an autoencoder with two hidden layers by gradient descent with momentum.
    X: the rows to encode
    num_hidden1: the units of the outer hidden layers
    num_hidden2: the units of the innermost layer
    max_epochs: how often all rows are seen
    full_obj: whether the objective is computed over all rows
    step: the first step size
    decay: the factor of the step size after an epoch
    W1_rand: weights to start from, of the first layer
    W2_rand: weights to start from, of the second layer
    W3_rand: weights to start from, of the third layer
    W4_rand: weights to start from, of the fourth layer
    order_rand: an order of the rows
    @script
    @impure

sherlock(X_train: matrix, y_train: matrix)
    -> (cW1: matrix, cb1: matrix, cW2: matrix, cb2: matrix, cW3: matrix, cb3: matrix, wW1: matrix, wb1: matrix,
    wW2: matrix, wb2: matrix, wW3: matrix, wb3: matrix, pW1: matrix, pb1: matrix, pW2: matrix, pb2: matrix,
    pW3: matrix, pb3: matrix, sW1: matrix, sb1: matrix, sW2: matrix, sb2: matrix, sW3: matrix, sb3: matrix,
    fW1: matrix, fb1: matrix, fW2: matrix, fb2: matrix, fW3: matrix, fb3: matrix)
    Trains the networks that guess what a column of a table means.
    X_train: features of columns
    y_train: the meaning of each column
    @script
    @impure

sherlockPredict(X: matrix, cW1: matrix, cb1: matrix, cW2: matrix, cb2: matrix, cW3: matrix, cb3: matrix, wW1: matrix,
    wb1: matrix, wW2: matrix, wb2: matrix, wW3: matrix, wb3: matrix, pW1: matrix, pb1: matrix, pW2: matrix,
    pb2: matrix, pW3: matrix, pb3: matrix, sW1: matrix, sb1: matrix, sW2: matrix, sb2: matrix, sW3: matrix,
    sb3: matrix, fW1: matrix, fb1: matrix, fW2: matrix, fb2: matrix, fW3: matrix, fb3: matrix) -> (probs: matrix)
    Guesses what columns of a table mean.
    X: features of columns
    @script
    @impure

abstain(X: matrix, Y: matrix, threshold: double, verbose: bool = FALSE) -> (Xout: matrix, Yout: matrix)
    Keeps the rows of which a logistic regression is unsure.
    threshold: the probability from which the classifier counts as sure
    @script
    @impure
