# A greeting for someone.
function demo::greeting(String $name) >> String { "Hello, ${name}!" }
