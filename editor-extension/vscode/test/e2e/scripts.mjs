// Scripts that several scenarios use.

/** The loss of a factorization; its line 7 has a cheaper form. */
export const ALS_LOSS = `#@ X: 100000 x 50000, sparsity 0.0001
#@ U: 100000 x 10
#@ V: 50000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
`;

/** The line of the statement with a cheaper form, from 1. */
export const LOSS_LINE = 7;
