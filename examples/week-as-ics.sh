#!/bin/sh
# Prints the events of the next seven days that I created or attend as iCalendar, for another program to import.
set -eu

calctl events list --all-calendars --days 7 --mine --output ics
