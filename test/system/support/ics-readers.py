"""Reads iCalendar files as python3-icalendar and khal do: a JSON list of paths in, a JSON list of readings out."""

import datetime
import json
import sys

import icalendar
import pytz
from khal.icalendar import cal_from_ics, sanitize
from khal.khalendar.event import Event

ZONE = pytz.timezone("Europe/Berlin")
FORMATS = "dateformat timeformat longdateformat datetimeformat longdatetimeformat"
LOCALE = {
    "default_timezone": ZONE,
    "local_timezone": ZONE,
    "unicode_symbols": True,
    **{name: "%Y" for name in FORMATS.split()},
}


def time_of(value):
    """A date, or a time in UTC; one without a zone is in Europe/Berlin."""
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    local = ZONE.localize(value) if value.tzinfo is None else value
    return local.astimezone(pytz.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def text_of(event, name):
    return str(event.get(name, ""))


def by_icalendar(text):
    for event in icalendar.Calendar.from_ical(text).walk("VEVENT"):
        start = event["DTSTART"].dt
        length = event["DURATION"].dt if "DURATION" in event else None
        end = event["DTEND"].dt if "DTEND" in event else start + length if length else None
        yield {
            "uid": text_of(event, "UID"),
            "title": text_of(event, "SUMMARY"),
            "start": time_of(start),
            "end": None if end is None else time_of(end),
            "location": text_of(event, "LOCATION"),
            "description": text_of(event, "DESCRIPTION"),
            "cancelled": text_of(event, "STATUS") == "CANCELLED",
        }


def by_khal(text):
    calendar = cal_from_ics(text)
    for vevent in calendar.walk("VEVENT"):
        event = Event.fromVEvents([sanitize(vevent, ZONE, "", "")], calendar="test", locale=LOCALE)
        end = event.end + datetime.timedelta(days=1) if event.allday else event.end
        yield {
            "uid": event.uid,
            "title": event.summary,
            "start": time_of(event.start),
            "end": time_of(end),
            "location": event.location,
            "description": event.description,
            "cancelled": event.status == "CANCELLED",
        }


def reading(read, text):
    try:
        return list(read(text))
    except Exception as error:
        return "%s: %s" % (type(error).__name__, error)


readings = []
for path in json.load(sys.stdin):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    readings.append({"icalendar": reading(by_icalendar, text), "khal": reading(by_khal, text)})
json.dump(readings, sys.stdout)
