[type, function, 'a' => type]
