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
lower.tail: whether the probability below the value is meant, and not the one above
mean: the mean of the normal distribution
sd: the standard deviation of the normal distribution
df: the degrees of freedom
df1: the degrees of freedom of the numerator
df2: the degrees of freedom of the denominator
rate: the rate of the exponential distribution
diag: whether the diagonal belongs to it
values: whether the cells keep their values; otherwise they become 1
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
ctypes: a row that marks each feature: 1 scale, 2 categorical; and the label
max_depth: how deep a tree becomes
min_leaf: the fewest rows of a leaf
min_split: the fewest rows of a node that is split
max_features: which power of the number of features is tried at a split
max_values: which power of the number of values is tried at a split
max_dataratio: how small a part of the rows is copied for a branch
impurity: {"gini", "entropy", "rss"} the measure of a split
num_trees: how many trees are grown
learning_rate: how much each tree, or step, counts
intercept: whether an intercept is fitted
W: the trained weights
M: the trained model
C: the number of channels of an image
Hin: the height of an image
Win: the width of an image
batch_size: the rows of a batch
epochs: how often all rows are seen
lr: the size of a step
mu: how much of the last step is kept
decay: the factor of the step size after an epoch
X_val: features to validate with
Y_val: labels to validate with
features: the features, one row for each observation
labels: the labels, one for each row
val_features: features to validate with
val_labels: labels to validate with
X_train: the training features
Y_train: the training labels
y_train: the training labels
X_test: the test features
Y_test: the test labels
y_val: labels to validate with
Xtrain: the training features
Ytrain: the training labels
Xtest: the test features
Ytest: the test labels
inp_x: the point to evaluate at
mode: {"DS", "CG"} the solver: direct, or conjugate gradient
rank: the number of columns of the factors
rnk: the number of columns of the factors
regType: {"L2", "wL2"} whether regularization counts cells of a row alike or by their number
check: whether the loss is watched in order to stop early
thr: where to stop: the smallest relative decrease of the loss
userIDs: one column, the users to predict for
I: 1 for pairs that are left out
L: the left factor
R: the right factor
Clusters: the directions, one in each column
Centering: the means that were subtracted
ScaleFactor: the deviations that were divided by
center: whether means are subtracted
scale: whether columns are divided by their deviations
momentum: how much of the last step is kept
print_iter: how many iterations lie between two messages
maxTokens: the most words that are kept
windowSize: how far a window reaches
distanceWeighting: whether nearer words count more
symmetric: whether both directions count
p: the lags of the series itself
d: how often differences are taken
q: the lags of errors
P: the seasonal lags of the series itself
D: how often seasonal differences are taken
Q: the seasonal lags of errors
s: the length of a season
include_mean: whether a mean is fitted
imputedVec: what fills each column
Y_imp: what follows from each value
qLow: the shortest usual lengths
qUp: the longest usual lengths
qLower: the lower bounds of the columns
qUpper: the upper bounds of the columns
Q1: the lower quartiles
Q3: the upper quartiles
IQR: the interquartile ranges
colMean: the means of the columns
colSD: the standard deviations of the columns
med: the medians of the columns
q1: the lower quartiles
q3: the upper quartiles
cmin: the smallest values of the columns
cmax: the largest values of the columns
entropyMatrix: the weights of evidence
cost: how dear an error is
