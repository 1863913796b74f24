# A class for tests.
class m (String $greeting = 'hello') {
  notify { "m ${greeting}": message => epp('m/text.epp', { 'name' => $greeting }) }
}
