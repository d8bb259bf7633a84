export const SLACK_TOKEN = "xoxb-sentinel-0123456789-abcdefghij";
export const SLACK_CHANNEL = "C012AB3CD";
