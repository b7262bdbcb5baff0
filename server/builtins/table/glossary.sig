# What a parameter means in every row that says nothing of it. A row of its own in a table goes before these.
X: the matrix
A: the matrix
B: the second matrix
w: a weight for each row
Y: the labels, one for each row
y: the target values, one for each row
data: the values
target: what to work on
dir: {"r", "c", "rc"} by rows, by columns, or over all cells
verbose: whether progress is printed
is_verbose: whether progress is printed
seed: the start of the random numbers; -1 takes a new one in each call
tol: where to stop: the smallest relative improvement
maxi: the most iterations
max_iter: the most iterations
eps: where to stop: the smallest improvement
reg: the weight of regularization
icpt: {0, 1, 2} no intercept; an intercept; an intercept over shifted and rescaled columns
lower.tail: {TRUE, FALSE} whether the probability below the value is meant, and not the one above
mean: the mean of the normal distribution
sd: the standard deviation of the normal distribution
df: the degrees of freedom
df1: the degrees of freedom of the numerator
df2: the degrees of freedom of the denominator
rate: the rate of the exponential distribution
diag: {TRUE, FALSE} whether the diagonal belongs to it
values: {TRUE, FALSE} whether the cells keep their values; otherwise they become 1
x: the value
input: the images
filter: the filters, one in each row
dout: the gradient of the output
input_shape: images, channels, height and width: [N, C, H, W]
filter_shape: filters, channels, height and width: [K, C, R, S]
pool_size: height and width of a window
stride: the steps of a window, down and to the right
padding: zeros around an image, above and beside
spec: how each column is encoded, as JSON
meta: the metadata of the encoding
F: the frame
