#!/bin/sh
# Prints tomorrow's events of one label as Markdown, for a chat or a wiki: label-as-markdown.sh LABEL
set -eu

calctl events list --all-calendars --on tomorrow --label "$1" --output markdown
