# Factorizations, solvers and transforms.

solve(A: matrix, b: matrix) -> matrix[ncol(A), ncol(b)]
    Solves A %*% x = b, by least squares if there are more rows than columns.
    A: the coefficients
    b: the right-hand side

inv(A: matrix) -> matrix[nrow(A), nrow(A)]
    Inverts a square matrix.
    @alias inverse

det(A: matrix) -> double
    Computes the determinant of a square matrix.

cholesky(A: matrix) -> matrix[nrow(A), nrow(A)]
    Factors a symmetric positive definite matrix into a lower triangle and its transpose.

sqrtMatrixJava(A: matrix) -> matrix[nrow(A), nrow(A)]
    Computes the square root of a square matrix inside the engine.

lu(A: matrix) -> (P: matrix[nrow(A), nrow(A)], L: matrix[nrow(A), nrow(A)], U: matrix[nrow(A), nrow(A)])
    Factors a square matrix into a permutation, a lower and an upper triangle.

qr(A: matrix) -> (H: matrix[nrow(A), ?], R: matrix[?, ncol(A)])
    Factors a matrix into Householder reflections and an upper triangle.

eigen(A: matrix) -> (values: matrix[nrow(A), 1], vectors: matrix[nrow(A), nrow(A)])
    Computes the eigenvalues and eigenvectors of a square matrix.

svd(A: matrix) -> (U: matrix[nrow(A), min(nrow(A), ncol(A))], S: matrix[min(nrow(A), ncol(A)), min(nrow(A), ncol(A))],
    V: matrix[ncol(A), min(nrow(A), ncol(A))])
    Computes the singular values of a matrix, on a diagonal, and both sides' singular vectors.

fft(X: matrix) -> (real: matrix[nrow(X), ncol(X)], imaginary: matrix[nrow(X), ncol(X)])
    Computes the Fourier transform of a matrix in both directions; sizes are powers of two.

ifft(X: matrix, imaginary?: matrix) -> (real: matrix[nrow(X), ncol(X)], imaginary: matrix[nrow(X), ncol(X)])
    Inverts a Fourier transform over both directions.
    X: the real part
    imaginary: the imaginary part

fft_linearized(X: matrix) -> (real: matrix[nrow(X), ncol(X)], imaginary: matrix[nrow(X), ncol(X)])
    Computes the Fourier transform of each row; its length is a power of two.

ifft_linearized(X: matrix, imaginary?: matrix)
    -> (real: matrix[nrow(X), ncol(X)], imaginary: matrix[nrow(X), ncol(X)])
    Inverts the Fourier transform of each row.
    X: the real part
    imaginary: the imaginary part

stft(X: matrix, imaginary_or_window: matrix|scalar, window_or_overlap: int, overlap?: int)
    -> (real: matrix, imaginary: matrix)
    Computes Fourier transforms of overlapping windows along each row.
    X: the real part
    imaginary_or_window: the imaginary part, or the length of a window
    window_or_overlap: the length of a window behind an imaginary part, otherwise the overlap
    overlap: how many cells two windows share, behind an imaginary part

einsum(equation: string, A: matrix, ...) -> any
    Multiplies and adds up matrices as an equation over index letters says.
    equation: letters for rows and columns, such as "ij,jk->ik"

# Scripts.

sqrtMatrix(A: matrix, S: string) -> (B: matrix[nrow(A), nrow(A)])
    Computes the square root of a square matrix.
    S: {"COMMON", "DML"} how it is computed
    @script
