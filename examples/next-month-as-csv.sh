#!/bin/sh
# Prints the events of the next month as CSV that a spreadsheet can open.
set -eu

# GNU date. On macOS: date -v1d -v+1m +%F, and date -v1d -v+2m -v-1d +%F
first=$(date --date "$(date +%Y-%m-01) + 1 month" +%F)
last=$(date --date "$first + 1 month - 1 day" +%F)
calctl events list --all-calendars --from "$first" --to "$last" --output csv --csv-safe
