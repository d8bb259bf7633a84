# The main commands of calctl. `npm start` shows them with what they print, in a throwaway HOME.

# Create an event from a sentence.
calctl add Lunch with the team tomorrow noon for 1 hour --yes

# What is coming up? Each line ends with the beginning of an id, which names the event.
calctl events list --days 2

# Lists print the fields that a script asks for. Move the start of the event, and its end moves, too.
event=$(calctl events list --days 2 -o tsv --fields id)
calctl events update "$event" --start "tomorrow 12:30"
calctl comment "$event" "I have booked a table"

# The days of every calendar, and JSON through a jq expression.
calctl agenda --days 3
calctl events list --days 2 --jq '.[] | {title, start_local}'

# Delete the event, then take that back. Without --yes, you are asked first.
calctl events delete "$event" --yes
calctl undo --yes
