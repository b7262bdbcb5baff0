# Values in the order of time.

arima(X: matrix, max_func_invoc: int = 1000, p: int = 0, d: int = 0, q: int = 0, P: int = 0, D: int = 0, Q: int = 0,
    s: int = 1, include_mean: bool = FALSE, solver: string = "jacobi") -> (best_point: matrix)
    Fits an autoregressive moving average model with seasons.
    X: one column, the values in order
    max_func_invoc: the most evaluations of the objective
    solver: {"jacobi", "cg"} how the residuals are computed
    @script
    @impure

garch(X: matrix, kmax: int, momentum: double, start_stepsize: double, end_stepsize: double, start_vicinity: double,
    end_vicinity: double, sim_seed: int, verbose: bool)
    -> (fitted_X: matrix, fitted_var_hist: matrix, best_a0: double, best_arch_coef: double, best_var_coef: double)
    Fits a model of changing variance to a series, by descent from random restarts.
    X: one column, the values in order
    kmax: the number of iterations
    momentum: how much of the last step is kept
    start_stepsize: the first step size
    end_stepsize: the last step size
    start_vicinity: how far restarts lie at first
    end_vicinity: how far restarts lie at last
    sim_seed: the start of the random numbers of a simulation
    @script
    @impure

ema(X: frame, search_iterations: int, mode: string, freq: int, alpha: double, beta: double, gamma: double)
    -> (Y: frame)
    Fills gaps of series by exponential moving averages.
    X: the series, one in each column
    search_iterations: how many settings are tried
    mode: {"single", "double", "triple"} without trend, with trend, or with trend and season
    freq: the length of a season
    alpha: the weight of the newest value
    beta: the weight of the newest trend
    gamma: the weight of the newest season
    @script

ses(x: matrix, h: int = 1, alpha: double = 0.5) -> (yhat: matrix)
    Forecasts a series by simple exponential smoothing.
    x: one column, the values in order
    h: how many values are forecast
    alpha: the weight of the newest value
    @script
    @impure

matrixProfile(ts: matrix, window_size: int = 4, sample_percent: double = 1.0, is_verbose: bool = FALSE)
    -> (profile: matrix, profile_index: matrix)
    Finds for each window of a series how far the most similar other window is.
    ts: one column, the values in order
    window_size: the length of a window
    sample_percent: the share of windows that are compared
    @script
    @impure

na_locf(X: matrix, option: string = "locf", verbose: bool = FALSE) -> (output: matrix[nrow(X), ncol(X)])
    Fills missing values with the last one before or the next one after.
    option: {"locf", "nocb"} the last value before, or the next one after
    @script
    @impure

km(X: matrix, TE: matrix, GI: matrix, SI: matrix, alpha: double = 0.05, err_type: string = "greenwood",
    conf_type: string = "log", test_type: string = "none") -> (O: matrix, M: matrix, T: matrix, T_GROUPS_OE: matrix)
    Estimates survival over time by Kaplan and Meier, for groups and strata.
    X: survival data: times, events, and factors
    TE: the columns of times and events
    GI: the columns that make up groups
    SI: the columns that make up strata
    alpha: one minus the level of the confidence intervals
    err_type: {"greenwood", "peto"} how the error is estimated
    conf_type: {"plain", "log", "log-log"} how the interval is transformed
    test_type: {"none", "log-rank", "wilcoxon"} the test that compares groups
    @script
    @impure
