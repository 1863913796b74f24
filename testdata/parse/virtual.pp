@file { a: }
