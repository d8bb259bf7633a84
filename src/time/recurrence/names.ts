/** What words call the parts of rules. */

export const UNITS = ["day", "week", "month", "year"];
export const FREQUENCIES = ["daily", "weekly", "monthly", "yearly"];
export const NUMBERS = ["last", "first", "second", "third", "fourth", "fifth"];
