# The main commands of calctl. `npm start` shows them with what they print, in a throwaway HOME.

# Create an event from a sentence.
calctl add Lunch with the team tomorrow noon for 1 hour --yes

# What is coming up? Each line ends with the beginning of an id.
calctl events list --days 2

# In a script, lists print the fields that you name.
event=$(calctl events list --days 2 -o tsv --fields id)

# Move the event to a later start; its end moves, too. Then comment on it.
calctl events update "$event" --start "tomorrow 12:30" --quiet
calctl comment "$event" "I have booked a table"

# The days of every calendar.
calctl agenda --days 3

# For programs: JSON, filtered by a jq expression.
calctl events list --days 2 --jq '.[] | {title, start_local}'

# Delete the event. Without --yes, you are asked first.
calctl events delete "$event" --yes

# Take that back.
calctl undo --yes
