# Types and titles with parts, case and characters that are special elsewhere.
define app::conf::part($v = 1) { notify { "part ${title}": } }
define app_2($v = 1) { notify { "app ${title}": } }
node 'exp-1.sub_net.example.com' {
  @@app::conf::part { 'a::b': }
  @@app::conf::part { 'A::B': v => 2 }
  @@app::conf::part { 'with [brackets]': v => 3 }
  @@app::conf::part { 'percent % & ? # = ; +': v => 4 }
  @@app::conf::part { "line\nbreak": v => 5 }
  @@app::conf::part { ' blank ': v => 6 }
  @@app::conf::part { '[]': v => 7 }
  @@app::conf::part { "long ${String(Integer[1, 200].map |$n| { 'x' })}": v => 8 }
  @@app_2 { '1': v => 9 }
  @@app_2 { 'ünïcödé 名前': v => 10 }
  @@app_2 { "quote ' \" \\": v => 11 }
}
node 'all' { App::Conf::Part <<| |>> App_2 <<| |>> }
node 'by-title' { App::Conf::Part <<| title == 'a::b' |>> }
node 'by-title-case' { App::Conf::Part <<| title == 'A::B' or title == 'WITH [BRACKETS]' |>> }
node 'by-special' { App::Conf::Part <<| title == 'percent % & ? # = ; +' or title == "line\nbreak" or title == ' blank ' |>> }
node 'by-unicode' { App_2 <<| title == 'ünïcödé 名前' or title == "quote ' \" \\" or title == '1' |>> }
