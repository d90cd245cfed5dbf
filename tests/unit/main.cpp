// The main function of every doctest binary; the tests themselves stand beside the code they test.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
