A[a] -> B[b] ~> C[c] <- D[d]
