# Evaluation by name, arguments of a run, lists, compression, training over parameter servers.

ifdef(argument: any, default: any) -> any
    Takes an argument of the command line if it was given, otherwise a default.
    argument: the argument, such as $name
    default: what stands in for it
    @special

eval(function: string, ...) -> any
    Calls the function of a name.
    function: its name
    @impure

evalList(function: string, ...) -> list
    Calls the function of a name, and gives its results as a list.
    function: its name
    @impure

remove(x: list, element: scalar) -> (rest: list, removed: list)
    Takes an element out of a list.
    x: the list
    element: its position or name

lineage(x: any) -> string
    Writes down how a value was computed.
    @impure

autoDiff(lineage: list, output?: any, ...) -> list
    Derives a computation from its lineage.
    lineage: the lineage of the values to derive
    output: the gradient to start from

local(X: matrix) -> matrix[nrow(X), ncol(X)]
    Brings a distributed matrix into local memory.

compress(X: matrix|frame, scheme?: matrix) -> (C: matrix|frame[nrow(X), ncol(X)], meta: frame)
    Compresses a matrix or frame in memory, for repeated reading.
    scheme: the compression to follow
    @fewest 1

decompress(X: matrix|frame) -> matrix|frame[nrow(X), ncol(X)]
    Undoes the compression of a matrix or frame.

quantize_compress(X: matrix, scale: matrix|scalar) -> matrix
    Rounds a matrix to multiples of a scale, and compresses it.
    scale: the step between two values, for all rows or each

range(...) -> any
    Stands for a range of positions in the engine, without a use of its own in scripts.

paramserv(model: list, features: matrix, labels: matrix, val_features?: matrix, val_labels?: matrix, upd: string,
    agg: string, val?: string, mode?: string, utype?: string, freq?: string, epochs: int, batchsize?: int, k?: int,
    scheme?: string, runtime_balancing?: string, weighting?: string, hyperparams?: list, checkpointing?: string,
    seed?: int, nbatches?: int, modelAvg?: bool, he?: bool, num_backup_workers?: int) -> list
    Trains a model by workers that share its parameters.
    model: the parameters to start from
    features: the features, one row an observation
    labels: the labels of all rows
    val_features: features to validate with
    val_labels: labels to validate with
    upd: the function that computes gradients
    agg: the function that changes the model by gradients
    val: the function that validates the model
    mode: {"LOCAL", "REMOTE_SPARK", "FEDERATED"} where workers run
    utype: {"BSP", "ASP", "SSP", "SBP"} whether workers wait for one another
    freq: {"BATCH", "EPOCH", "NBATCHES"} how often gradients are sent
    epochs: how often all rows are seen
    batchsize: the rows of a batch
    k: how many workers there are
    scheme: {"DISJOINT_CONTIGUOUS", "DISJOINT_ROUND_ROBIN", "DISJOINT_RANDOM", "OVERLAP_RESHUFFLE"} who gets which rows
    runtime_balancing: {"NONE", "BASELINE", "CYCLE_MIN", "CYCLE_AVG", "CYCLE_MAX", "SCALE_BATCH"} how unequal parts are levelled
    weighting: whether larger parts weigh more
    hyperparams: what the functions need besides
    checkpointing: {"NONE", "EPOCH", "EPOCH10"} how often the model is kept
    nbatches: the batches between two updates
    modelAvg: whether models are averaged in place of gradients
    he: whether updates are encrypted
    num_backup_workers: workers that a round need not wait for
    @impure
    @named
