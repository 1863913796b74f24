#!/bin/sh
df -h
