#!/bin/sh
exec pg_dumpall
