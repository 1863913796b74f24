file { a: }[1]
