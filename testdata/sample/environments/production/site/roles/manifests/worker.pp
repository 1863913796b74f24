# Runs background jobs.
class roles::worker {
  include profiles::base
  include profiles::worker
}
