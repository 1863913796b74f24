function f::g(Integer *$a) >> Array[Integer] { $a }
