#!/bin/sh
sleep "${PT_delay:-0}"
systemctl restart shop
