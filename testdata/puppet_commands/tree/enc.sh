#!/bin/sh
printf "classes:\n  m:\n    greeting: classified\nparameters:\n  p: 1\n"
