#!/bin/sh
# Moves an event by an hour, or by another number of minutes, earlier ones negative: move-event.sh ID [MINUTES]
# Its length stays. If someone changed it in the meantime, nothing is written (exit 13).
set -eu

minutes=${2:-60}
moved='(.start_at | .[:19] + "Z" | fromdateiso8601 + $minutes * 60 | todateiso8601) + " " + .updated_at'
times=$(calctl events get "$1" --jq "$minutes as \$minutes | $moved")
calctl events update "$1" --start "${times%% *}" --if-unchanged "${times##* }"
