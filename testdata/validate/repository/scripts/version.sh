#!/bin/sh
git rev-parse --short HEAD
