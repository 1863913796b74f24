#!/bin/sh
exec nginx -s reload
