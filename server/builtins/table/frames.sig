# Frames, and their transformation to matrices and back.

transformencode(target: frame, spec: string) -> (X: matrix, M: frame)
    Encodes a frame as a matrix, and gives the metadata with which to encode more.
    target: the frame to encode

transformapply(target: frame, meta?: frame, spec?: string, embedding?: matrix) -> matrix[nrow(target), ?]
    Encodes a frame as a matrix by the metadata of an earlier encoding.
    target: the frame to encode
    embedding: a vector for each word

transformdecode(target: matrix, meta: frame, spec: string) -> frame[nrow(target), ?]
    Turns an encoded matrix back into a frame.
    target: the encoded matrix

transformcolmap(target: frame, spec: string) -> matrix[ncol(target), 3]
    Tells which columns of the encoded matrix each column of a frame becomes.
    target: the metadata of the encoding

transformmeta(spec: string, transformPath: string) -> frame
    Reads the metadata of an encoding from a folder.
    transformPath: the folder
    @impure

tokenize(target: frame, spec: string, ...) -> frame
    Splits texts into tokens.
    target: the frame with the texts

detectSchema(F: matrix|frame) -> frame[1, ncol(F)]
    Guesses the type of each column from its cells.

applySchema(F: matrix|frame, schema: matrix|frame) -> frame[nrow(F), ncol(F)]
    Casts each column to the type that a schema names.
    schema: a row with the type of each column

dropInvalidType(F: matrix|frame, schema: matrix|frame) -> frame[nrow(F), ncol(F)]
    Empties the cells that are not of their column's type.
    schema: a row with the type of each column

dropInvalidLength(F: matrix|frame, lengths: matrix|frame) -> frame[nrow(F), ncol(F)]
    Empties the cells whose texts are longer than their column allows.
    lengths: a row with the most letters of each column

valueSwap(F: matrix|frame, schema: matrix|frame) -> frame[nrow(F), ncol(F)]
    Exchanges cells of a row that seem to stand in each other's columns.
    schema: a row with the type of each column

freplicate(F: matrix|frame, n: matrix|frame) -> frame
    Repeats the rows of a frame.
    n: how often

map(F: matrix|frame, f: string, margin?: int) -> frame
    Applies a function, written as text, to each cell, row or column of a frame.
    f: the function, such as "x -> x.trim()", or the name of one
    margin: {0, 1, 2} each cell, each row, or each column

getCategoricalMask(F: frame, spec: string) -> matrix[1, ?]
    Marks the columns of the encoded matrix that are categories.
