# The stage comes from the class that includes the one that includes this.
class base::early::last {
}
