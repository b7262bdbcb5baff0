[
  (block)
  (arguments)
  (parameters)
  (list)
] @fold
