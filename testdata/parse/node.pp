node a.b1, 'c', /d/, default { }
