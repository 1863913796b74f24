[1, 0x1F, 017, 1.5, 1e3, 'a', undef, default, true, false, /r/, B, ::C, d-e, _f]
