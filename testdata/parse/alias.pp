type A = B type C = D[1, 2] type E = { a => 1 } type F = G { a => 1 } type Runtime[x] = H
