# In the same stage, as it is included there.
class base::early::more {
  include base::early::last
  notify { 'more':
    message => $base::early::note,
  }
}
