include a, b
notice 'x' $y = 1
fail('z')
