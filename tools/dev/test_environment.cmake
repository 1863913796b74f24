# Read by ctest before the tests (as CTestCustom.cmake in the build folder). Puppet's places are the all-in-one package's, whatever Puppet this
# machine has: where Debian's package is installed, its modules and data would join every test that names no modulepath.
set(ENV{PUPC_PUPPET_PLACES} aio)
