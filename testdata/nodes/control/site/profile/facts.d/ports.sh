#!/bin/sh
echo 'first_port=8000'
