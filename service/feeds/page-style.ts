/** Style of the pages of feeds: a list of days on a phone, a grid where there is room, and on paper; light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --card: #ffffff; --ink: #1b2430; --soft: #566274; --line: #d5dbe3; --accent: #1a5fb4; --k: #8391a3;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #11161d; --card: #1b222c; --ink: #e7ecf3; --soft: #a5b1c2; --line: #34404f; --accent: #7cb4f5; }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 90rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1, h2, p, ul { margin: 0; padding: 0; }
h1 { font-size: 1.4rem; line-height: 1.25; }
header { display: grid; gap: .35rem; margin-bottom: 1rem; }
p { color: var(--soft); }
a { color: var(--accent); text-underline-offset: .2em; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
nav a { padding: .35rem 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.axis { display: none; }
section {
  margin-bottom: .75rem; padding: .6rem .75rem .75rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
}
.today { border-color: var(--accent); }
h2 { font-size: 1rem; }
.today h2 { color: var(--accent); }
ul { display: grid; gap: .35rem; margin-top: .4rem; list-style: none; }
li {
  /* Visible even if the label is as dark or as light as the card. */
  --edge: color-mix(in srgb, var(--k) 80%, var(--ink));
  padding: .3rem .6rem; border-left: 4px solid var(--edge); border-radius: .3rem;
  background: color-mix(in srgb, var(--edge) 14%, var(--card));
}
li b { font-weight: 600; }
.time { display: block; font-size: .85rem; font-variant-numeric: tabular-nums; }
.rest { font-size: .85rem; }
@media screen and (max-width: 59.99rem) {
  /* Today and the days after it come first, then past days. */
  .week { display: flex; flex-direction: column; }
  .past { order: 1; }
}
@media (min-width: 60rem), print {
  .week {
    display: grid; grid-template: auto auto minmax(0, 1fr) / 3rem repeat(7, minmax(0, 1fr));
    border: 1px solid var(--line); border-radius: .75rem; background: var(--card); overflow: hidden;
  }
  .axis, section { display: grid; }
  section { grid-row: 1 / 4; grid-template-rows: subgrid; margin: 0; padding: 0 .2rem .2rem; border-width: 0 0 0 1px; border-radius: 0; }
  section.today { background: color-mix(in srgb, var(--accent) 7%, var(--card)); border-color: var(--line); }
  h2 { grid-row: 1; padding: .5rem .3rem; font-size: .9rem; }
  h2 span { display: block; font-weight: 400; }
  .whole { grid-row: 2; align-content: start; margin: 0 0 .3rem; }
  .timed, .axis { grid-template-rows: repeat(var(--rows), 1.75rem); }
  .timed { grid-row: 3; gap: 0; margin: 0; }
  .timed li { grid-column: 1; padding: .1rem .25rem; overflow: hidden; border: solid var(--card); border-width: 1px 0 0;
    border-left: 3px solid var(--edge); }
  /* Whole lines, of which the first has the time. */
  .timed li > div { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--lines); overflow: hidden; }
  .timed .time { display: inline; }
  .timed .small { padding-inline: .1rem; }
  .timed .small .time { white-space: nowrap; font-size: .68rem; }
  .timed .n1 { padding-block: 0; line-height: .8rem; }
  .timed .n1 > div { display: block; white-space: nowrap; }
  .timed .n1 .time, .timed .n1 b { display: block; overflow: hidden; text-overflow: ellipsis; font-size: .7rem; }
  .timed .n1 .rest, .timed .small .end { display: none; }
  .axis { grid-row: 3; color: var(--soft); font-size: .75rem; text-align: right; }
  .axis span { padding-right: .4rem; transform: translateY(-.1rem); }
  li { font-size: .8rem; line-height: 1.05rem; hyphens: auto; }
  .time, .rest { font-size: .75rem; }
  .none { display: none; }
}
.zone { margin-top: .75rem; font-size: .9rem; }
@media print {
  @page { size: landscape; margin: 8mm; }
  :root { --ground: #fff; --card: #fff; --ink: #000; --soft: #333; --line: #999; --accent: #000; }
  body { font-size: 10pt; }
  main { padding: 0; }
  nav { display: none; }
  .week { height: 165mm; }
  li, .timed li { padding-block: 0; font-size: 7.5pt; line-height: 3.1mm; }
  .time, .rest { font-size: 7pt; }
  .timed .small .time, .timed .n1 .time, .timed .n1 b { display: inline; font-size: 6.5pt; }
  .timed, .axis { min-height: 0; grid-template-rows: repeat(var(--rows), minmax(0, 1fr)); }
}
`;
