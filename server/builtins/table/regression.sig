# Predicting numbers.

where X: the features, one row for each observation
where B: the coefficients
where maxi: the most iterations of the conjugate gradient; 0 takes as many as there are features

lm(X: matrix, y: matrix, icpt: int = 0, reg: double = 1e-7, tol: double = 1e-7, maxi: int = 0, verbose: bool = TRUE)
    -> (B: matrix[ncol(X) + (icpt > 0), 1])
    Fits a linear regression: directly for few features, by conjugate gradient for many.
    @script
    @impure

lmDS(X: matrix, y: matrix, icpt: int = 0, reg: double = 1e-7, verbose: bool = TRUE)
    -> (B: matrix[ncol(X) + (icpt > 0), 1])
    Fits a linear regression by solving the normal equations.
    @script
    @impure

lmCG(X: matrix, y: matrix, icpt: int = 0, reg: double = 1e-7, tol: double = 1e-7, maxi: int = 0,
    verbose: bool = TRUE) -> (B: matrix[ncol(X) + (icpt > 0), 1])
    Fits a linear regression by conjugate gradient, without forming the normal equations.
    @script
    @impure

lmPredict(X: matrix, B: matrix, ytest: matrix = matrix(0,1,1), icpt: int = 0, verbose: bool = FALSE)
    -> (yhat: matrix[nrow(X), ncol(B)])
    Predicts with a linear regression.
    ytest: the true values, to print statistics of the errors
    @script
    @impure

lmPredictStats(yhat: matrix, ytest: matrix, lm: bool) -> (R: matrix)
    Summarizes how well predictions of a regression fit: errors, bias, R².
    yhat: the predicted values
    ytest: the true values
    lm: whether the model is a linear regression with an intercept
    @script
    @impure

cvlm(X: matrix, y: matrix, k: int, icpt: int = 0, reg: double = 1e-7) -> (y_predict: matrix, allbeta: matrix)
    Fits linear regressions on all but one of several folds, and predicts each fold left out.
    k: the number of folds
    @script
    @impure

steplm(X: matrix, y: matrix, icpt: int = 0, reg: double = 1e-7, tol: double = 1e-7, maxi: int = 0,
    verbose: bool = TRUE) -> (B: matrix, S: matrix)
    Fits a linear regression with features chosen one by one by the Akaike criterion.
    @script
    @impure

lasso(X: matrix, y: matrix, tol: double = 1e-15, M: int = 5, tau: double = 1, maxi: int = 100, verbose: bool = TRUE)
    -> (w: matrix[ncol(X), 1])
    Fits a linear regression whose absolute coefficients are held small.
    M: how many earlier objectives a step may be compared with
    tau: the weight of regularization
    @script
    @impure

glm(X: matrix, Y: matrix, dfam: int = 1, vpow: double = 0.0, link: int = 0, lpow: double = 1.0, yneg: double = 0.0,
    icpt: int = 0, disp: double = 0.0, reg: double = 0.0, tol: double = 0.000001, moi: int = 200, mii: int = 0,
    verbose: bool = TRUE) -> (betas: matrix)
    Fits a generalized linear model by a trust region of Fisher scoring.
    dfam: {1, 2} the family: 1 for power distributions, 2 for binomial ones
    vpow: the power of the mean in the variance: 0 Gaussian, 1 Poisson, 2 gamma, 3 inverse Gaussian
    link: {0, 1, 2, 3, 4, 5} the link: 0 canonical, 1 power, 2 logit, 3 probit, 4 cloglog, 5 cauchit
    lpow: the power of a power link; 0 is the logarithm
    yneg: the value of Y that stands for "no" in a binomial model
    disp: the dispersion; 0 to estimate it
    moi: the most outer iterations
    mii: the most inner iterations; 0 for no bound
    @script
    @impure

glmPredict(X: matrix, B: matrix, ytest: matrix = matrix(0,0,0), intercept: bool = FALSE, dfam: int = 1,
    vpow: double = 0.0, link: int = 0, lpow: double = 1.0, disp: double = 1.0, verbose: bool = TRUE) -> (M: matrix)
    Predicts means, or probabilities, with a generalized linear model.
    ytest: the true values, to print statistics of the errors
    intercept: whether the model has an intercept
    dfam: {1, 2, 3} the family: 1 for power distributions, 2 for binomial, 3 for multinomial ones
    vpow: the power of the mean in the variance
    link: {0, 1, 2, 3, 4, 5} the link function
    lpow: the power of a power link; 0 is the logarithm
    disp: the dispersion
    @script
    @impure

cox(X: matrix, TE: matrix, F: matrix, R: matrix, alpha: double = 0.05, tol: double = 0.000001, moi: int = 100,
    mii: int = 0) -> (M: matrix, S: matrix, T: matrix, COV: matrix, RT: matrix, XO: matrix)
    Fits a proportional hazards model to survival data.
    X: survival data: times, events, and features
    TE: the columns of times and events
    F: the columns of features
    R: the first and last column of each categorical feature
    alpha: one minus the level of the confidence intervals
    moi: the most outer iterations
    mii: the most inner iterations; 0 for no bound
    @script
    @impure

cspline(X: matrix, Y: matrix, inp_x: double, mode: string = "DS", tol: double = -1.0, maxi: int = -1)
    -> (pred_Y: matrix, K: matrix)
    Interpolates points by a natural cubic spline.
    @script
    @impure

csplineCG(X: matrix, Y: matrix, inp_x: double, tol: double = 0.000001, maxi: int = 0) -> (pred_Y: matrix, K: matrix)
    Interpolates points by a cubic spline, whose slopes come from conjugate gradient.
    @script
    @impure

csplineDS(X: matrix, Y: matrix, inp_x: double) -> (pred_Y: matrix, K: matrix)
    Interpolates points by a cubic spline, whose slopes come from a direct solver.
    @script

xgboost(X: matrix, y: matrix, R: matrix = matrix(1,rows=1,cols=nrow(X)), sml_type: int = 1, num_trees: int = 7,
    learning_rate: double = 0.3, max_depth: int = 6, lambda: double = 0.0) -> (M: matrix)
    Fits boosted trees for regression or binary classification.
    R: a row that marks each feature: 1 continuous, 2 categorical
    sml_type: {1, 2} 1 for regression, 2 for classification
    lambda: the weight of regularization
    @script
    @impure

xgboostPredictRegression(X: matrix, M: matrix, learning_rate: double = 0.3) -> (P: matrix)
    Predicts numbers with boosted trees.
    @script

xgboostPredictClassification(X: matrix, M: matrix, learning_rate: double = 0.3) -> (P: matrix)
    Predicts probabilities of the positive class with boosted trees.
    @script

xgboostPredict(...) -> any
    Stands for both predictions of boosted trees; SystemDS has its name, but no script for it.
    @script
    @impure
    @deprecated xgboostPredictRegression
