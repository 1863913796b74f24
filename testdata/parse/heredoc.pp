$x = @("T":json/L)
  a ${b} \
  c
    d
  | - T
