//! The functions that SystemDS has: names, numbers of arguments, shapes of results. A table of facts, no logic.
//!
//! A name without a row in [`SIGNATURES`] is known to exist and nothing else is said of it.

/// What a builtin gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    /// Not said here.
    Unknown,
    /// A number.
    Double,
    /// An integer.
    Int,
    /// A truth value.
    Bool,
    /// Text.
    Text,
    /// A frame.
    Frame,
    /// A list.
    List,
    /// A matrix of unknown size.
    Matrix,
    /// As its first argument.
    Same,
    /// A matrix of the first argument's size, dense.
    SameDense,
    /// One column, as many rows as the first argument.
    Column,
    /// One row, as many columns as the first argument.
    Row,
    /// Columns of the first by columns of the second argument.
    Solve,
    /// Rows of the first by columns of the second argument.
    Outer,
    /// Nothing: it is called for its effect.
    Nothing,
}

/// What is known of a builtin.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Its name.
    pub name: &'static str,
    /// Fewest arguments.
    pub min: usize,
    /// Most arguments.
    pub max: usize,
    /// The names that arguments may have; empty: not checked.
    pub params: &'static [&'static str],
    /// What it gives.
    pub gives: Gives,
    /// Whether two calls with equal arguments give equal results and have no effect.
    pub pure: bool,
}

const ANY: usize = usize::MAX;

const fn sig(name: &'static str, min: usize, max: usize, gives: Gives) -> Signature {
    Signature {
        name,
        min,
        max,
        params: &[],
        gives,
        pure: true,
    }
}

const fn named(
    name: &'static str,
    min: usize,
    params: &'static [&'static str],
    gives: Gives,
) -> Signature {
    Signature {
        name,
        min,
        max: ANY,
        params,
        gives,
        pure: true,
    }
}

const fn effect(name: &'static str, min: usize, max: usize, gives: Gives) -> Signature {
    Signature {
        name,
        min,
        max,
        params: &[],
        gives,
        pure: false,
    }
}

const READ_PARAMS: &[&str] = &[
    "iofilename",
    "rows",
    "cols",
    "format",
    "data_type",
    "value_type",
    "schema",
    "rows_in_block",
    "cols_in_block",
    "nnz",
    "default",
    "sep",
    "fill",
    "header",
    "naStrings",
    "indSep",
    "dataset",
    "description",
    "author",
    "created",
    "privacy",
    "fine_grained_privacy",
];
const RAND_PARAMS: &[&str] = &[
    "rows", "cols", "dims", "min", "max", "sparsity", "seed", "pdf", "lambda",
];
const MATRIX_PARAMS: &[&str] = &["data", "rows", "cols", "dims", "byrow", "dimnames"];

use Gives as G;

/// Builtins with more than a name.
#[rustfmt::skip]
pub static SIGNATURES: &[Signature] = &[
    // Algebra: shapes come from the operator table.
    sig("abs", 1, 1, G::Same), sig("acos", 1, 1, G::Same), sig("asin", 1, 1, G::Same),
    sig("atan", 1, 1, G::Same), sig("ceil", 1, 1, G::Same), sig("ceiling", 1, 1, G::Same),
    sig("cos", 1, 1, G::SameDense), sig("cosh", 1, 1, G::SameDense), sig("exp", 1, 1, G::SameDense),
    sig("floor", 1, 1, G::Same), sig("log", 1, 2, G::SameDense), sig("round", 1, 1, G::Same),
    sig("sigmoid", 1, 1, G::SameDense), sig("sign", 1, 1, G::Same), sig("sin", 1, 1, G::Same),
    sig("sinh", 1, 1, G::Same), sig("sqrt", 1, 1, G::Same), sig("tan", 1, 1, G::Same),
    sig("tanh", 1, 1, G::Same), sig("t", 1, 1, G::Matrix), sig("rev", 1, 1, G::Same),
    sig("diag", 1, 1, G::Matrix), sig("sum", 1, 1, G::Double), sig("prod", 1, 1, G::Double),
    sig("trace", 1, 1, G::Double), sig("tr", 1, 1, G::Double), sig("mean", 1, 2, G::Double),
    sig("avg", 1, 2, G::Double), sig("min", 1, ANY, G::Unknown), sig("max", 1, ANY, G::Unknown),
    sig("pmin", 1, ANY, G::Unknown), sig("pmax", 1, ANY, G::Unknown),
    sig("rowSums", 1, 1, G::Column), sig("rowMeans", 1, 1, G::Column), sig("rowMins", 1, 1, G::Column),
    sig("rowMaxs", 1, 1, G::Column), sig("rowProds", 1, 1, G::Column), sig("rowSds", 1, 1, G::Column),
    sig("rowVars", 1, 1, G::Column), sig("rowIndexMax", 1, 1, G::Column), sig("rowIndexMin", 1, 1, G::Column),
    sig("colSums", 1, 1, G::Row), sig("colMeans", 1, 1, G::Row), sig("colMins", 1, 1, G::Row),
    sig("colMaxs", 1, 1, G::Row), sig("colProds", 1, 1, G::Row), sig("colSds", 1, 1, G::Row),
    sig("colVars", 1, 1, G::Row), sig("nrow", 1, 1, G::Int), sig("ncol", 1, 1, G::Int),
    sig("length", 1, 1, G::Int), sig("cbind", 1, ANY, G::Unknown), sig("rbind", 1, ANY, G::Unknown),
    sig("append", 1, ANY, G::Unknown), sig("ifelse", 3, 3, G::Unknown),
    // Other computations on matrices.
    sig("sd", 1, 1, G::Double), sig("var", 1, 1, G::Double), sig("det", 1, 1, G::Double),
    sig("cumsum", 1, 1, G::SameDense), sig("cumprod", 1, 1, G::SameDense), sig("cummin", 1, 1, G::SameDense),
    sig("cummax", 1, 1, G::SameDense), sig("rowcumsum", 1, 1, G::SameDense), sig("cumsumprod", 1, 1, G::Column),
    sig("inv", 1, 1, G::SameDense), sig("inverse", 1, 1, G::SameDense), sig("cholesky", 1, 1, G::SameDense),
    sig("solve", 2, 2, G::Solve), sig("outer", 3, 3, G::Outer), sig("xor", 2, 2, G::Unknown),
    sig("bitwAnd", 2, 2, G::Unknown), sig("bitwOr", 2, 2, G::Unknown), sig("bitwXor", 2, 2, G::Unknown),
    sig("bitwShiftL", 2, 2, G::Unknown), sig("bitwShiftR", 2, 2, G::Unknown), sig("ppred", 3, 3, G::Unknown),
    sig("is.na", 1, 1, G::SameDense), sig("is.nan", 1, 1, G::SameDense), sig("is.infinite", 1, 1, G::SameDense),
    sig("isNA", 1, 1, G::SameDense), sig("isNaN", 1, 1, G::SameDense), sig("isInf", 1, 1, G::SameDense),
    sig("cov", 2, 3, G::Double), sig("moment", 2, 3, G::Double), sig("centralMoment", 2, 3, G::Double),
    sig("median", 1, 2, G::Double), sig("interQuartileMean", 1, 2, G::Double), sig("interQuantile", 2, 3, G::Unknown),
    sig("quantile", 2, 3, G::Unknown), sig("roll", 2, 2, G::Same), sig("table", 2, 7, G::Matrix),
    sig("ctable", 2, 7, G::Matrix), sig("lower.tri", 1, ANY, G::Same), sig("upper.tri", 1, ANY, G::Same),
    sig("removeEmpty", 1, ANY, G::Matrix), sig("replace", 1, ANY, G::SameDense), sig("order", 1, ANY, G::Matrix),
    sig("aggregate", 1, ANY, G::Matrix), sig("groupedAggregate", 1, ANY, G::Matrix), sig("unique", 1, ANY, G::Matrix),
    sig("countDistinct", 1, ANY, G::Int), sig("cdf", 1, ANY, G::Unknown), sig("icdf", 1, ANY, G::Double),
    sig("pnorm", 1, ANY, G::Unknown), sig("qnorm", 1, ANY, G::Double), sig("pt", 1, ANY, G::Unknown),
    sig("qt", 1, ANY, G::Double), sig("pf", 1, ANY, G::Unknown), sig("qf", 1, ANY, G::Double),
    sig("pchisq", 1, ANY, G::Unknown), sig("qchisq", 1, ANY, G::Double), sig("pexp", 1, ANY, G::Unknown),
    sig("qexp", 1, ANY, G::Double), sig("seq", 1, 3, G::Matrix),
    // Casts.
    sig("as.scalar", 1, 1, G::Double), sig("castAsScalar", 1, 1, G::Double), sig("as.matrix", 1, 1, G::Matrix),
    sig("as.double", 1, 1, G::Double), sig("as.integer", 1, 1, G::Int), sig("as.logical", 1, 1, G::Bool),
    sig("as.boolean", 1, 1, G::Bool), sig("as.frame", 1, 2, G::Frame), sig("as.list", 1, 1, G::List),
    sig("list", 0, ANY, G::List), sig("toString", 1, ANY, G::Text), sig("typeof", 1, 1, G::Unknown),
    sig("exists", 1, 1, G::Bool), sig("ifdef", 2, 2, G::Unknown),
    named("matrix", 1, MATRIX_PARAMS, G::Matrix),
    sig("transformapply", 1, ANY, G::Matrix), sig("transformdecode", 1, ANY, G::Frame),
    sig("transformmeta", 1, ANY, G::Frame), sig("transformcolmap", 1, ANY, G::Matrix),
    sig("tokenize", 1, ANY, G::Frame), sig("frame", 1, ANY, G::Frame), sig("sql", 1, ANY, G::Unknown),
    // Not the same twice, or called for an effect.
    Signature { name: "rand", min: 1, max: ANY, params: RAND_PARAMS, gives: G::Matrix, pure: false },
    Signature { name: "Rand", min: 1, max: ANY, params: RAND_PARAMS, gives: G::Matrix, pure: false },
    Signature { name: "read", min: 1, max: ANY, params: READ_PARAMS, gives: G::Unknown, pure: false },
    effect("sample", 2, 4, G::Matrix), effect("time", 0, 0, G::Int), effect("print", 1, ANY, G::Nothing),
    effect("printf", 1, ANY, G::Nothing), effect("write", 2, ANY, G::Nothing), effect("stop", 1, 1, G::Nothing),
    effect("assert", 1, 2, G::Nothing), effect("eval", 1, ANY, G::Unknown),
];

/// What is known of `name` beyond its name.
#[must_use]
pub fn signature(name: &str) -> Option<&'static Signature> {
    SIGNATURES.iter().find(|signature| signature.name == name)
}

/// Whether SystemDS has a builtin called `name`.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    NATIVE.binary_search(&name).is_ok() || is_script_builtin(name)
}

/// Whether the builtin is itself a DML script, which may draw random numbers.
#[must_use]
pub fn is_script_builtin(name: &str) -> bool {
    SCRIPTS.binary_search(&name).is_ok()
}

/// All names of builtins.
pub fn names() -> impl Iterator<Item = &'static str> {
    NATIVE.iter().chain(SCRIPTS).copied()
}

/// Builtins that the engine itself has, sorted.
#[rustfmt::skip]
static NATIVE: &[&str] = &[
    "Rand", "abs", "acos", "aggregate", "append", "applySchema", "as.boolean", "as.double",
    "as.frame", "as.int", "as.int32", "as.int64", "as.integer", "as.list", "as.logical",
    "as.matrix", "as.scalar", "asin", "assert", "atan", "autoDiff", "avg", "avg_pool",
    "avg_pool_backward", "batch_norm2d", "batch_norm2d_backward", "bias_add", "bias_multiply",
    "bitwAnd", "bitwOr", "bitwShiftL", "bitwShiftR", "bitwXor", "castAsScalar", "cbind", "cdf",
    "ceil", "ceiling", "centralMoment", "cholesky", "colCountDistinct", "colCountDistinctApprox",
    "colMaxs", "colMeans", "colMins", "colProds", "colSds", "colSums", "colVars", "colnames",
    "compress", "contains", "conv2d", "conv2d_backward_data", "conv2d_backward_filter", "cos",
    "cosh", "countDistinct", "countDistinctApprox", "cov", "ctable", "cummax", "cummin",
    "cumprod", "cumsum", "cumsumprod", "decompress", "det", "detectSchema", "diag",
    "dropInvalidLength", "dropInvalidType", "eigen", "einsum", "eval", "evalList", "exists",
    "exp", "federated", "fft", "fft_linearized", "floor", "frame", "freplicate",
    "getCategoricalMask", "groupedAggregate", "icdf", "ifdef", "ifelse", "ifft",
    "ifft_linearized", "interQuantile", "interQuartileMean", "inv", "inverse", "is.infinite",
    "is.na", "is.nan", "isInf", "isNA", "isNaN", "length", "lineage", "list", "local", "log",
    "lower.tri", "lstm", "lstm_backward", "lu", "map", "matrix", "max", "max_pool",
    "max_pool_backward", "mean", "median", "min", "moment", "ncol", "nrow", "order", "outer",
    "paramserv", "pchisq", "pexp", "pf", "pmax", "pmin", "pnorm", "ppred", "print", "printf",
    "prod", "pt", "qchisq", "qexp", "qf", "qnorm", "qr", "qt", "quantile", "quantize_compress",
    "rand", "range", "rbind", "rcm", "read", "remove", "removeEmpty", "replace", "rev", "roll",
    "round", "rowClassMeet", "rowCountDistinct", "rowCountDistinctApprox", "rowIndexMax",
    "rowIndexMin", "rowMaxs", "rowMeans", "rowMins", "rowProds", "rowSds", "rowSums", "rowVars",
    "rowcumsum", "sample", "sd", "seq", "sign", "sin", "sinh", "solve", "source", "sql", "sqrt",
    "sqrtMatrixJava", "stft", "stop", "sum", "svd", "t", "table", "tan", "tanh", "tensor", "time",
    "toString", "tokenize", "tr", "trace", "transformapply", "transformcolmap", "transformdecode",
    "transformencode", "transformmeta", "typeof", "unique", "upper.tri", "valueSwap", "var",
    "write", "xor",];

/// Builtins that are DML scripts, sorted.
#[rustfmt::skip]
static SCRIPTS: &[&str] = &[
    "FDR", "WoE", "WoEApply", "abstain", "adasyn", "als", "alsCG", "alsDS", "alsPredict",
    "alsTopkPredict", "ampute", "apply_pipeline", "arima", "auc", "autoencoder_2layer", "bandit",
    "bivar", "components", "confusionMatrix", "cooccurrenceMatrix", "cor", "correctTypos",
    "correctTyposApply", "cox", "cspline", "csplineCG", "csplineDS", "cvlm", "dbscan",
    "dbscanApply", "decisionTree", "decisionTreePredict", "dedup", "deepWalk",
    "denialConstraints", "differenceStatistics", "discoverFD", "dist", "dmv", "ema",
    "executePipeline", "f1Score", "fdr", "ffPredict", "ffTrain", "fit_pipeline",
    "fixInvalidLengths", "fixInvalidLengthsApply", "flattenQuantile", "frameSort",
    "frequencyEncode", "frequencyEncodeApply", "garch", "gaussianClassifier", "getAccuracy",
    "glm", "glmPredict", "glove", "gmm", "gmmPredict", "gnmf", "gridSearch",
    "hospitalResidencyMatch", "hyperband", "img_brightness", "img_brightness_linearized",
    "img_crop", "img_crop_linearized", "img_cutout", "img_cutout_linearized", "img_invert",
    "img_invert_linearized", "img_mirror", "img_mirror_linearized", "img_posterize",
    "img_posterize_linearized", "img_rotate", "img_rotate_linearized", "img_sample_pairing",
    "img_sample_pairing_linearized", "img_shear", "img_shear_linearized", "img_transform",
    "img_transform_linearized", "img_translate", "img_translate_linearized", "impurityMeasures",
    "imputeByFD", "imputeByFDApply", "imputeByKNN", "imputeByMean", "imputeByMeanApply",
    "imputeByMedian", "imputeByMedianApply", "imputeByMode", "imputeByModeApply", "incSliceLine",
    "independentSubnetTrain", "intersect", "km", "kmeans", "kmeansPredict", "knn", "knnGraph",
    "knnbf", "l2svm", "l2svmPredict", "lasso", "lenetPredict", "lenetTrain", "lm", "lmCG", "lmDS",
    "lmPredict", "lmPredictStats", "logSumExp", "mae", "mape", "matrixProfile", "mcc", "mdedup",
    "mice", "miceApply", "mse", "msmape", "msvm", "msvmPredict", "multiLogReg",
    "multiLogRegPredict", "na_locf", "naiveBayes", "naiveBayesPredict", "normalize",
    "normalizeApply", "nrmse", "outlier", "outlierByArima", "outlierByIQR", "outlierByIQRApply",
    "outlierBySd", "outlierBySdApply", "pageRank", "pca", "pcaInverse", "pcaTransform", "pnmf",
    "ppca", "psnr", "quantizeByCluster", "raGroupby", "raJoin", "raSelection", "randomForest",
    "randomForestPredict", "rmse", "scale", "scaleApply", "scaleMinMax", "scaleRobust",
    "scaleRobustApply", "selectByVarThresh", "ses", "setdiff", "shapExplainer", "sherlock",
    "sherlockPredict", "shortestPath", "sigmoid", "skewness", "sliceLine", "sliceLineDebug",
    "sliceLineExtract", "slicefinder", "smape", "smote", "softmax", "split", "splitBalanced",
    "sqrtMatrix", "stableMarriage", "statsNA", "steplm", "stratstats", "symmetricDifference",
    "tSNE", "toOneHot", "tomeklink", "topk_cleaning", "underSampling", "union", "univar",
    "vectorToCsv", "wer", "winsorize", "winsorizeApply", "xdummy1", "xdummy2", "xgboost",
    "xgboostPredict", "xgboostPredictClassification", "xgboostPredictRegression",];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tables_are_sorted_and_without_doubles() {
        for table in [NATIVE, SCRIPTS] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert!(NATIVE.iter().all(|name| !is_script_builtin(name)));
    }

    #[test]
    fn every_signature_is_of_a_known_builtin() {
        for signature in SIGNATURES {
            assert!(is_builtin(signature.name), "{}", signature.name);
            assert!(signature.min <= signature.max, "{}", signature.name);
            let same = SIGNATURES
                .iter()
                .filter(|other| other.name == signature.name);
            assert_eq!(same.count(), 1, "{}", signature.name);
        }
    }
}
