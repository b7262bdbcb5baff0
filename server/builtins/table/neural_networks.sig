# Layers of neural networks. A row of a matrix holds one image, channel by channel.

conv2d(input: matrix, filter: matrix, input_shape: any, filter_shape: any, stride: any, padding: any, ...)
    -> matrix[nrow(input), ?]
    Convolves each image with each filter.

conv2d_backward_filter(input: matrix, dout: matrix, input_shape: any, filter_shape: any, stride: any, padding: any, ...)
    -> matrix
    Computes the gradient of a convolution by its filters.

conv2d_backward_data(filter: matrix, dout: matrix, input_shape: any, filter_shape: any, stride: any, padding: any, ...)
    -> matrix[nrow(dout), ?]
    Computes the gradient of a convolution by its images.

max_pool(input: matrix, input_shape: any, pool_size: any, stride: any, padding: any, ...) -> matrix[nrow(input), ?]
    Takes the largest cell of each window of each image.

max_pool_backward(input: matrix, dout: matrix, input_shape: any, pool_size: any, stride: any, padding: any, ...)
    -> matrix[nrow(input), ncol(input)]
    Computes the gradient of pooling by the largest cell.

avg_pool(input: matrix, input_shape: any, pool_size: any, stride: any, padding: any, ...) -> matrix[nrow(input), ?]
    Averages each window of each image.

avg_pool_backward(input: matrix, dout: matrix, input_shape: any, pool_size: any, stride: any, padding: any, ...)
    -> matrix[nrow(input), ncol(input)]
    Computes the gradient of pooling by averages.

bias_add(input: matrix, bias: matrix) -> matrix[nrow(input), ncol(input)]
    Adds to each channel its bias.
    bias: one column, a number for each channel

bias_multiply(input: matrix, bias: matrix) -> matrix[nrow(input), ncol(input)]
    Multiplies each channel by its factor.
    bias: one column, a number for each channel

batch_norm2d(input: matrix, scale: matrix, bias: matrix, ema_mean: matrix, ema_var: matrix, mode: string,
    epsilon: double, mu: double)
    -> (out: matrix[nrow(input), ncol(input)], ema_mean: matrix[nrow(ema_mean), ncol(ema_mean)],
        ema_var: matrix[nrow(ema_mean), ncol(ema_mean)], save_mean: matrix[nrow(ema_mean), ncol(ema_mean)],
        save_inv_var: matrix[nrow(ema_mean), ncol(ema_mean)])
    Normalizes each channel over a batch of images.
    scale: a factor for each channel
    bias: a summand for each channel
    ema_mean: the running mean of each channel
    ema_var: the running variance of each channel
    mode: {"train", "test"} whether the batch or the running values are used
    epsilon: a small number that keeps a division from zero
    mu: how much the running values keep

batch_norm2d_backward(input: matrix, dout: matrix, scale: matrix, epsilon: double, save_mean: matrix,
    save_inv_var: matrix)
    -> (dX: matrix[nrow(input), ncol(input)], dscale: matrix[nrow(scale), ncol(scale)],
        dbias: matrix[nrow(scale), ncol(scale)])
    Computes the gradients of the normalization of channels.
    scale: a factor for each channel
    epsilon: a small number that keeps a division from zero
    save_mean: the means of the forward pass
    save_inv_var: the inverse deviations of the forward pass

lstm(X: matrix, W: matrix, b: matrix, out0: matrix, c0: matrix, return_sequences: bool)
    -> (out: matrix, c: matrix[nrow(c0), ncol(c0)], cache_out: matrix, cache_c: matrix, cache_ifog: matrix)
    Runs a layer of long short-term memory over sequences.
    X: a sequence in each row
    W: the weights of all gates
    b: the biases of all gates
    out0: the output before the first step
    c0: the state before the first step
    return_sequences: whether every step's output is given
    @fewest 2

lstm_backward(X: matrix, W: matrix, b: matrix, out0: matrix, c0: matrix, return_sequences: bool, dout: matrix,
    dc: matrix, ...)
    -> (dX: matrix[nrow(X), ncol(X)], dW: matrix[nrow(W), ncol(W)], db: matrix[nrow(b), ncol(b)],
        dout0: matrix[nrow(out0), ncol(out0)], dc0: matrix[nrow(c0), ncol(c0)])
    Computes the gradients of a layer of long short-term memory.
    X: a sequence in each row
    W: the weights of all gates
    b: the biases of all gates
    out0: the output before the first step
    c0: the state before the first step
    return_sequences: whether every step's output was given
    dc: the gradient of the last state
