#!/bin/sh
# Comments on every event of today: comment-on-today.sh TEXT
set -eu

ids=$(calctl events list --all-calendars --on today --fields id)
for id in $ids; do
  calctl comment "$id" "$1"
done
