/** Colours and names of the ten labels of a new calendar; the first one, the default label, has no name. */
export const LABEL_PALETTE: readonly { readonly name: string; readonly color: string }[] = [
  { name: "", color: "#2ecc87" },
  { name: "modern cyan", color: "#3dc2c8" },
  { name: "deep sky blue", color: "#47b2f7" },
  { name: "pastel brown", color: "#948078" },
  { name: "midnight black", color: "#212121" },
  { name: "apple red", color: "#e73b3b" },
  { name: "french rose", color: "#f35f8c" },
  { name: "coral pink", color: "#fb7f77" },
  { name: "bright orange", color: "#fdc02d" },
  { name: "soft violet", color: "#b38bdc" },
];

/** Emerald green, as the default label. */
export const CALENDAR_COLOR = "#2ecc87";
