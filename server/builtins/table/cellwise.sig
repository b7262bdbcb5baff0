# Functions of each cell. A number in place of the matrix gives a number.

abs(X: matrix|scalar) -> matrix|scalar
    Takes absolute values.
    @operator

sign(X: matrix|scalar) -> matrix|scalar
    Gives -1, 0 or 1 for negative, zero and positive values.
    @operator

sqrt(X: matrix|scalar) -> matrix|scalar
    Takes square roots.
    @operator

exp(X: matrix|scalar) -> matrix|scalar
    Raises e to each value.
    @operator

log(X: matrix|scalar, base?: matrix|scalar) -> matrix|scalar
    Takes logarithms, natural ones unless a base is given.
    base: the base of the logarithm
    @operator

round(X: matrix|scalar) -> matrix|scalar
    Rounds to whole numbers, halves upwards.
    @operator

floor(X: matrix|scalar) -> matrix|scalar
    Rounds down to whole numbers.
    @operator

ceil(X: matrix|scalar) -> matrix|scalar
    Rounds up to whole numbers.
    @operator
    @alias ceiling

sin(X: matrix|scalar) -> matrix|scalar
    Takes sines of angles in radians.
    @operator

cos(X: matrix|scalar) -> matrix|scalar
    Takes cosines of angles in radians.
    @operator

tan(X: matrix|scalar) -> matrix|scalar
    Takes tangents of angles in radians.
    @operator

asin(X: matrix|scalar) -> matrix|scalar
    Takes arc sines, in radians.
    @operator

acos(X: matrix|scalar) -> matrix|scalar
    Takes arc cosines, in radians.
    @operator

atan(X: matrix|scalar) -> matrix|scalar
    Takes arc tangents, in radians.
    @operator

sinh(X: matrix|scalar) -> matrix|scalar
    Takes hyperbolic sines.
    @operator

cosh(X: matrix|scalar) -> matrix|scalar
    Takes hyperbolic cosines.
    @operator

tanh(X: matrix|scalar) -> matrix|scalar
    Takes hyperbolic tangents.
    @operator

sigmoid(X: matrix|scalar) -> (Y: matrix|scalar)
    Computes the logistic function 1 / (1 + exp(-x)).
    @script
    @operator

is.na(X: matrix|scalar) -> matrix|scalar[nrow(X), ncol(X)]
    Marks missing values with 1, all others with 0.
    @alias isNA

is.nan(X: matrix|scalar) -> matrix|scalar[nrow(X), ncol(X)]
    Marks values that are no number with 1, all others with 0.
    @alias isNaN

is.infinite(X: matrix|scalar) -> matrix|scalar[nrow(X), ncol(X)]
    Marks infinite values with 1, all others with 0.
    @alias isInf

xor(A: matrix|scalar, B: matrix|scalar) -> matrix|scalar
    Tells cell by cell whether exactly one of two truth values holds.

bitwAnd(A: matrix|scalar, B: matrix|scalar) -> matrix|scalar
    Takes the bitwise and of whole numbers.

bitwOr(A: matrix|scalar, B: matrix|scalar) -> matrix|scalar
    Takes the bitwise or of whole numbers.

bitwXor(A: matrix|scalar, B: matrix|scalar) -> matrix|scalar
    Takes the bitwise exclusive or of whole numbers.

bitwShiftL(A: matrix|scalar, B: matrix|scalar) -> matrix|scalar
    Shifts the bits of whole numbers to the left.
    B: by how many bits

bitwShiftR(A: matrix|scalar, B: matrix|scalar) -> matrix|scalar
    Shifts the bits of whole numbers to the right.
    B: by how many bits

ifelse(test: matrix|scalar, yes: matrix|scalar, no: matrix|scalar) -> matrix|scalar
    Takes a cell of one matrix where a condition holds, and of another where it does not.
    test: the condition, true where it is not zero
    yes: what to take where the condition holds
    no: what to take everywhere else
    @operator

ppred(A: matrix|scalar, B: matrix|scalar, op: string) -> matrix|scalar
    Compares two matrices cell by cell.
    op: {"<", "<=", ">", ">=", "==", "!="} the comparison
    @deprecated the comparison operator itself

outer(u: matrix, v: matrix, op: string) -> matrix[nrow(u), ncol(v)]
    Combines every cell of a column with every cell of a row.
    u: one column
    v: one row
    op: {"+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "min", "max"} how two cells are combined
