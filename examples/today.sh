#!/bin/sh
# Prints the rest of today, one event per line, for a status bar, a message of the day or a shell profile.
# The time zone comes from the profile: calctl config set timezone Asia/Tokyo
set -eu

calctl events list --all-calendars --remaining --fields start_local,title |
  while IFS="$(printf '\t')" read -r start title; do
    case $start in
      *T*) printf '%s  %s\n' "$(printf '%s' "$start" | cut -c 12-16)" "$title" ;;
      *) printf 'all day  %s\n' "$title" ;;
    esac
  done
