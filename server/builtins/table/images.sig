# Images as matrices; the linearized functions take one image in each row.

where img_in: the image
where img_in1: one image
where img_in2: the other image
where img_matrix: the images, one in each row
where channel_max: the largest value of a cell
where w: the width of the part
where h: the height of the part
where x_offset: how far the part lies right of the middle
where y_offset: how far the part lies below the middle
where s_cols: the width of an image
where s_rows: the height of an image
where o_w: the width of an image
where o_h: the height of an image
where original_rows: the height of an image
where original_cols: the width of an image
where x: the column where the rectangle begins
where y: the row where the rectangle begins
where width: the width of the rectangle
where height: the height of the rectangle
where fill_value: the value of cells without an origin
where max_value: the largest value of a cell
where horizontal_axis: whether it is mirrored at the horizontal axis
where bits: how many bits are kept of a value
where radians: the angle, to the left
where weight: the share of the second image
where shear_x: how far columns shift with the rows
where shear_y: how far rows shift with the columns
where out_w: the width of the result
where out_h: the height of the result
where offset_x: how far it moves to the right
where offset_y: how far it moves down

img_brightness(img_in: matrix, value: double, channel_max: int) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Adds a number to the values of an image.
    value: what is added
    @script

img_brightness_linearized(img_in: matrix, value: double, channel_max: int)
    -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Adds a number to the values of images that are rows.
    value: what is added
    @script

img_crop(img_in: matrix, w: int, h: int, x_offset: int, y_offset: int) -> (img_out: matrix)
    Cuts a part out of an image.
    @script
    @impure

img_crop_linearized(img_in: matrix, w: int, h: int, x_offset: int, y_offset: int, s_cols: int, s_rows: int)
    -> (img_out: matrix)
    Cuts a part out of images that are rows.
    @script
    @impure

img_cutout(img_in: matrix, x: int, y: int, width: int, height: int, fill_value: double)
    -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Fills a rectangle of an image with one value.
    fill_value: the value of the rectangle
    @script
    @impure

img_cutout_linearized(img_in: matrix, x: int, y: int, width: int, height: int, fill_value: double, s_cols: int,
    s_rows: int) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Fills a rectangle of images that are rows with one value.
    fill_value: the value of the rectangle
    @script
    @impure

img_invert(img_in: matrix, max_value: double) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Inverts the values of an image.
    @script

img_invert_linearized(img_in: matrix, max_value: double) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Inverts the values of images that are rows.
    @script

img_mirror(img_in: matrix, horizontal_axis: bool) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Mirrors an image at an axis.
    @script

img_mirror_linearized(img_matrix: matrix, horizontal_axis: bool, original_rows: int, original_cols: int)
    -> (R: matrix[nrow(img_matrix), ncol(img_matrix)])
    Mirrors images that are rows at an axis.
    @script

img_posterize(img_in: matrix, bits: int) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Keeps only the highest bits of the values of an image.
    @script

img_posterize_linearized(img_in: matrix, bits: int) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Keeps only the highest bits of the values of images that are rows.
    @script

img_rotate(img_in: matrix, radians: double, fill_value: double) -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Rotates an image around the middle.
    @script
    @impure

img_rotate_linearized(img_in: matrix, radians: double, fill_value: double, s_cols: int, s_rows: int)
    -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Rotates images that are rows around the middle.
    @script
    @impure

img_sample_pairing(img_in1: matrix, img_in2: matrix, weight: double)
    -> (img_out: matrix[nrow(img_in1), ncol(img_in1)])
    Blends an image with another.
    @script
    @impure

img_sample_pairing_linearized(img_in1: matrix, img_in2: matrix, weight: double) -> (img_out: matrix)
    Blends images that are rows with another.
    @script
    @impure

img_shear(img_in: matrix, shear_x: double, shear_y: double, fill_value: double)
    -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Shears an image along both axes.
    @script
    @impure

img_shear_linearized(img_in: matrix, shear_x: double, shear_y: double, fill_value: double, s_cols: int, s_rows: int)
    -> (img_out: matrix[nrow(img_in), ncol(img_in)])
    Shears images that are rows along both axes.
    @script
    @impure

img_transform(img_in: matrix, out_w: int, out_h: int, a: double, b: double, c: double, d: double, e: double,
    f: double, fill_value: double) -> (img_out: matrix[out_h, out_w])
    Applies an affine map to an image.
    a: a coefficient of the map
    b: a coefficient of the map
    c: a coefficient of the map
    d: a coefficient of the map
    e: a coefficient of the map
    f: a coefficient of the map
    @script
    @impure

img_transform_linearized(img_in: matrix, out_w: int, out_h: int, a: double, b: double, c: double, d: double,
    e: double, f: double, fill_value: double, s_cols: int, s_rows: int) -> (img_out: matrix)
    Applies an affine map to images that are rows.
    a: a coefficient of the map
    b: a coefficient of the map
    c: a coefficient of the map
    d: a coefficient of the map
    e: a coefficient of the map
    f: a coefficient of the map
    @script
    @impure

img_translate(img_in: matrix, offset_x: double, offset_y: double, out_w: int, out_h: int, fill_value: double)
    -> (img_out: matrix[out_h, out_w])
    Moves an image.
    @script

img_translate_linearized(img_in: matrix, offset_x: double, offset_y: double, out_w: int, out_h: int,
    fill_value: double, o_w: int, o_h: int) -> (img_out: matrix)
    Moves images that are rows.
    @script
