# Before all others.
class base::early (
  String $note,
) {
  include base::early::more
  notify { 'early':
    message => $note,
  }
}
