#!/bin/sh
# Copies an event into another calendar: copy-event.sh ID FROM TO
set -eu

calctl events get "$1" --calendar "$2" --output json |
  calctl events create --calendar "$3" --input - --fields id
