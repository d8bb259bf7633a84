#!/bin/sh
# Deletes the events of the next seven days that a jq filter selects: delete-by-filter.sh '.title | startswith("Draft")'
set -eu

ids=$(calctl events list --all-calendars --days 7 --jq ".[] | select($1) | .id")
[ -z "$ids" ] || printf '%s\n' "$ids" | calctl events delete - --yes --scope this
