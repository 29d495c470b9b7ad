/*
 * The look of the element, as one constructable style sheet: a policy without inline styles lets it
 * through. Each colour names its light and its dark value; a host page overrides --vesper-*.
 */

export const styles = new CSSStyleSheet();

styles.replaceSync(`
:host {
  --bg: var(--vesper-bg, light-dark(#faf9f7, #131518));
  --surface: var(--vesper-surface, light-dark(#ffffff, #1b1e22));
  --sunken: light-dark(#f4f2ee, #16191c);
  --soft: var(--vesper-soft, light-dark(#e6f0ee, #1d302e));
  --text: var(--vesper-text, light-dark(#1c2023, #e8eaeb));
  --muted: var(--vesper-muted, light-dark(#5b636a, #a3abb2));
  --line: var(--vesper-line, light-dark(#e4e1da, #2d3237));
  --edge: light-dark(#8b8f8c, #6e767d);
  --accent: var(--vesper-accent, light-dark(#0b655d, #74d2c4));
  --on-accent: var(--vesper-on-accent, light-dark(#ffffff, #07211e));
  --warn: light-dark(#7d4e00, #efc06c);
  --warn-soft: light-dark(#fcf3de, #2d2513);
  --danger: light-dark(#a3231b, #ffa498);
  --danger-soft: light-dark(#fcedea, #331b19);
  --shadow: light-dark(rgb(40 36 28 / 9%), rgb(0 0 0 / 45%));
  --radius: 14px;
  --quick: .16s cubic-bezier(.2, 0, .2, 1);
  display: block;
  height: 100%;
  min-height: 0;
  color: var(--text);
  background: var(--bg);
  font: 400 16px/1.6 var(--vesper-font, ui-sans-serif, system-ui, -apple-system, "Segoe UI",
    Roboto, "Helvetica Neue", "Noto Sans", sans-serif);
  color-scheme: light dark;
}
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
h1, h2, h3, h4, h5, h6, p, ul, ol, figure, blockquote, pre, fieldset { margin: 0; }
button, textarea, input, select { font: inherit; color: inherit; }
button { cursor: pointer; }
button:disabled { cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.sr-only {
  position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
.icon {
  flex: none; width: 1.1em; height: 1.1em; fill: none; stroke: currentColor; stroke-width: 1.8;
  stroke-linecap: round; stroke-linejoin: round;
}
.icon-filled { fill: currentColor; stroke: none; }
.hint { color: var(--muted); font-size: 13px; }

/* frame */
.frame { position: relative; display: flex; height: 100%; min-height: 0; container-type: inline-size; }
.frame > .chat { flex: 1; min-width: 0; }
.list { position: absolute; z-index: 2; top: 10px; left: 12px; background: color-mix(in srgb, var(--bg) 88%, transparent); }
.sessions {
  display: flex; flex: none; flex-direction: column; gap: 12px; width: 290px; padding: 14px; overflow: hidden;
  background: var(--sunken); border-right: 1px solid var(--line);
}
.sessions > .new { align-self: stretch; justify-content: center; padding-block: 8px; font-weight: 550; }
.sessions input { width: 100%; padding: 7px 12px; font-size: 14px; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 10px; }
.sessions > .chip:not(.new) { align-self: flex-start; }
.session-list { flex: 1; min-height: 0; padding: 0; overflow-y: auto; list-style: none; }
.session { display: flex; align-items: center; border-radius: 10px; transition: background var(--quick); }
.session:hover, .session:focus-within { background: var(--soft); }
.session.current { background: var(--soft); }
.session > .small { display: none; }
.session:hover > .small, .session:focus-within > .small { display: grid; }
.session-title { display: grid; flex: 1; min-width: 0; padding: 8px 10px; font-size: 14px; line-height: 1.4; text-align: left; background: none; border: 0; }
.session-title span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.session-edit { display: flex; flex: 1; gap: 6px; align-items: center; padding: 6px; font-size: 14px; }
[aria-pressed=true].chip { color: var(--on-accent); background: var(--accent); }
[aria-pressed=true].small { color: var(--accent); }
@container (max-width: 899px) {
  .sessions { position: absolute; z-index: 4; inset: 0 auto 0 0; box-shadow: 0 0 40px var(--shadow); }
}
@media (hover: none) { .session > .small { display: grid; } }
.chat { display: flex; flex-direction: column; height: 100%; min-height: 0; }
.middle { position: relative; flex: 1; min-height: 0; }
.middle::after {
  content: ""; position: absolute; inset: auto 0 0; height: 18px; pointer-events: none;
  background: linear-gradient(transparent, var(--bg));
}
.scroll { position: relative; height: 100%; overflow-y: auto; overscroll-behavior: contain; overflow-anchor: none; scrollbar-gutter: stable both-edges; }
.scroll:focus-visible { outline-offset: -3px; }
.column { width: 100%; max-width: 800px; min-height: 100%; margin: 0 auto; padding: 20px 24px 24px; }
.banner {
  display: flex; gap: 12px; align-items: center; justify-content: center; flex-wrap: wrap;
  padding: 8px 16px; color: var(--warn); background: var(--warn-soft);
  border-bottom: 1px solid var(--line); font-size: 14px;
}
.banner button {
  padding: 2px 12px; border: 1px solid currentColor; border-radius: 99px; background: none;
}

/* before the first question */
.welcome { padding: min(11vh, 96px) 0 0; text-align: center; }
.welcome h2 { margin-top: 18px; font-size: clamp(24px, 4vw, 32px); font-weight: 600; letter-spacing: -.02em; line-height: 1.25; }
.welcome p { max-width: 46ch; margin: 10px auto 0; color: var(--muted); }
.starters { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin-top: 40px; text-align: left; }
.starter {
  display: flex; gap: 12px; align-items: center; justify-content: space-between;
  padding: 16px 16px 16px 18px; text-align: left; font-size: 15px; line-height: 1.45;
  background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius);
  transition: border-color var(--quick), box-shadow var(--quick), transform var(--quick);
}
.starter .icon { color: var(--muted); transition: color var(--quick), transform var(--quick); }
.starter:hover { border-color: var(--accent); box-shadow: 0 4px 16px var(--shadow); transform: translateY(-1px); }
.starter:hover .icon { color: var(--accent); transform: translateX(2px); }

/* turns */
/* In a long conversation a turn far from the view is only a height. */
.turns:has(> :nth-child(30)) > .turn:not(.running) { content-visibility: auto; contain-intrinsic-size: auto 320px; }
.turn + .turn { margin-top: 36px; padding-top: 36px; border-top: 1px solid var(--line); }
.question { display: flex; justify-content: flex-end; }
.question p {
  max-width: min(85%, 60ch); padding: 10px 18px; white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--soft); border-radius: 20px 20px 6px 20px;
}
.answer { display: grid; grid-template-columns: 30px minmax(0, 1fr); gap: 14px; margin-top: 20px; }
.avatar {
  display: grid; place-items: center; width: 30px; height: 30px; color: var(--accent);
  background: var(--soft); border-radius: 50%; font-size: 15px;
}
.avatar.large { width: 56px; height: 56px; margin: 0 auto; font-size: 28px; }
.body { min-width: 0; padding-top: 2px; }
.body > * { margin-bottom: 14px; }
.body > :empty, .views:empty, .panels:empty, .results:not(:has(> :not(:empty))) { display: none; }
.views, .asks, .notices, .results, .panels { display: flex; flex-direction: column; gap: 12px; }
.progress { color: var(--muted); }
.progress::after { content: "…"; }
.turn:not(.running) .filter { transition: border-color var(--quick); }
.turn:not(.running) .progress, .turn.has-text .progress { display: none; }
.filters { display: flex; flex-wrap: wrap; gap: 6px; padding: 0; list-style: none; }
.filter {
  display: inline-block; padding: 2px 10px; font-size: 13px; line-height: 1.6; color: var(--muted); text-align: left;
  background: var(--surface); border: 1px solid var(--line); border-radius: 99px;
}
button.filter:hover { border-color: var(--accent); }
.filter .value { color: var(--text); font-weight: 550; }
.filter.assumed { border-style: dashed; border-color: var(--edge); }
.filter .why { margin-left: 6px; font-style: italic; }
.filter.editing { display: inline-flex; gap: 6px; align-items: center; padding: 0 4px 0 10px; border-color: var(--accent); }
.editing input { width: 16ch; padding: 2px 4px; background: none; border: 0; border-bottom: 1px solid var(--edge); }
.editing button { display: grid; place-items: center; width: 24px; height: 24px; padding: 0; background: none; border: 0; border-radius: 50%; }
.editing button:hover { background: var(--soft); }
.small {
  display: grid; flex: none; place-items: center; width: 28px; height: 28px; padding: 0; color: var(--muted);
  background: none; border: 0; border-radius: 8px; text-decoration: none;
  transition: background var(--quick), color var(--quick);
}
.small:hover { color: var(--text); background: var(--soft); }
.question { gap: 4px; align-items: center; }
.question .small { order: -1; opacity: 0; transition: opacity var(--quick); }
.question:hover .small, .question .small:focus-visible { opacity: 1; }
@media (hover: none) { .question .small { opacity: 1; } }
.body { position: relative; }
.tip {
  position: absolute; z-index: 3; max-width: min(100%, 46ch); padding: 5px 10px; font-size: 13px; line-height: 1.45;
  color: var(--bg); background: var(--text); border-radius: 8px; pointer-events: none;
}

/* answer text */
/* Blocks, not a flex box: what has come already is not laid out again with each word. */
.prose { overflow-wrap: anywhere; }
.prose > * + * { margin-top: .75em; }
.prose h3 { font-size: 1.2em; font-weight: 620; letter-spacing: -.01em; line-height: 1.35; margin-top: .4em; }
.prose h4, .prose h5, .prose h6 { font-size: 1.03em; font-weight: 620; margin-top: .3em; }
.prose strong { font-weight: 650; }
.prose ul, .prose ol { padding-left: 1.5em; }
.prose li + li { margin-top: .25em; }
.prose li::marker { color: var(--muted); }
.prose hr { width: 100%; margin: .3em 0; border: 0; border-top: 1px solid var(--line); }
.prose blockquote { padding-left: 14px; border-left: 3px solid var(--line); color: var(--muted); }
.prose a { color: var(--accent); text-underline-offset: 3px; }
.prose code {
  padding: .1em .35em; font: .88em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  background: var(--sunken); border: 1px solid var(--line); border-radius: 6px;
}
.prose pre { padding: 14px 16px; overflow-x: auto; background: var(--sunken); border: 1px solid var(--line); border-radius: 10px; }
.prose pre code { padding: 0; background: none; border: 0; }
.prose table { overflow-wrap: break-word; }
.prose td { max-width: 44ch; white-space: normal; }
.prose .table-box { border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
.mark.bound { text-decoration: underline dotted color-mix(in srgb, var(--accent) 65%, transparent); text-underline-offset: 4px; }
.mark.unbound { text-decoration: underline wavy var(--warn); text-underline-offset: 4px; }
.mark.withheld { padding: 0 .3em; color: var(--warn); background: var(--warn-soft); border-radius: 5px; font-size: .92em; }
.base { white-space: pre-wrap; }

/* tables */
.table-box { max-height: 380px; overflow: auto; overscroll-behavior-x: contain; }
.table-box:focus-visible { outline-offset: -2px; }
table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: 14px; line-height: 1.45; }
th, td { padding: 8px 18px; text-align: left; vertical-align: baseline; }
th {
  position: sticky; top: 0; z-index: 1; white-space: nowrap; font-weight: 550; color: var(--muted);
  background: var(--sunken); border-bottom: 1px solid var(--line);
}
td { white-space: nowrap; }
.sort { padding: 0; font: inherit; color: inherit; background: none; border: 0; }
.sort::after { content: ""; display: inline-block; width: 1ch; }
[aria-sort=ascending] .sort::after { content: "↑"; }
[aria-sort=descending] .sort::after { content: "↓"; }
.sort:hover { color: var(--text); }
td.long { min-width: 28ch; white-space: normal; overflow-wrap: anywhere; }
tr + tr td { border-top: 1px solid color-mix(in srgb, var(--line) 70%, transparent); }
tbody tr:hover td { background: color-mix(in srgb, var(--soft) 45%, transparent); }
.number, .align-end { text-align: right; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.align-center { text-align: center; }
.unit { margin-left: 6px; font-weight: 400; font-size: 12px; }

/* charts */
.chart-card { position: relative; padding: 14px 16px 10px; margin: 0; overflow: visible; }
.chart-box { width: 100%; min-height: 240px; color: var(--text); }
.chart-box svg { display: block; max-width: 100%; }
.chart-tip {
  position: absolute; z-index: 3; max-width: min(90%, 44ch); padding: 5px 10px; font-size: 13px; pointer-events: none;
  color: var(--bg); background: var(--text); border-radius: 8px;
}

/* cards */
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.card-title { display: block; font-weight: 600; line-height: 1.4; }
.data summary {
  display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: center; padding: 12px 18px 12px 14px;
  cursor: pointer; list-style: none; font-size: 14px;
}
.data summary::-webkit-details-marker { display: none; }
.data summary:focus-visible { outline-offset: -3px; border-radius: var(--radius); }
.data[open] summary { border-bottom: 1px solid var(--line); }
.data .icon { color: var(--muted); }
.data-title { font-weight: 600; }
.data-rows { margin-left: auto; color: var(--muted); font-size: 13px; }
.data[open] .when-shut, .data:not([open]) .when-open { display: none; }
.data summary:hover .data-title, .data summary:hover .icon { color: var(--accent); }
.data-tools { display: flex; gap: 2px; justify-content: flex-end; padding: 4px 10px; border-top: 1px solid var(--line); }
.data:not([open]) .data-tools { display: none; }
.data-rows.cut { color: var(--warn); }
.notice, .error, .refused { display: flex; gap: 14px; padding: 16px 18px; }
.notice { flex-wrap: wrap; align-items: center; justify-content: space-between; font-size: 15px; color: var(--muted); }
.error, .refused { background: var(--danger-soft); border-color: transparent; }
.error > .icon, .refused > .icon { margin-top: 3px; color: var(--danger); }
.error > div, .refused > div { display: flex; flex-direction: column; gap: 4px; min-width: 0; overflow-wrap: anywhere; }
.error .options:not(:empty) { margin-top: 8px; }
.error .options:empty { display: none; }
.advice { color: var(--muted); font-size: 14px; }
.error.said { padding: 0; background: none; border: 0; border-radius: 0; overflow: visible; }
.error.said > .icon, .error.said .card-title, .error.said .error-text { display: none; }
.error.said .options { margin-top: 0; }
.refusal { display: grid; place-items: center; min-height: 40vh; }
.refused { width: 100%; max-width: 460px; }
.refused .primary { align-self: flex-start; margin-top: 10px; }

/* reports */
.reports { display: flex; flex-wrap: wrap; gap: 12px; }
.report {
  display: flex; gap: 14px; align-items: center; padding: 12px 12px 12px 16px;
  transition: border-color var(--quick), box-shadow var(--quick);
}
.report > .icon { color: var(--accent); font-size: 20px; }
.report > div { flex: 1; min-width: 12ch; }
.report .card-title { font-size: 15px; }
.report .hint { display: block; line-height: 1.4; }
.report:hover { border-color: color-mix(in srgb, var(--accent) 55%, var(--line)); box-shadow: 0 4px 16px var(--shadow); }
.report-frame { flex: 1 0 100%; min-width: 0; }
.report-frame header { display: flex; gap: 4px; align-items: center; padding: 8px 10px 8px 18px; border-bottom: 1px solid var(--line); }
.report-frame h3 { flex: 1; min-width: 0; font-size: 15px; }
.report-stage { position: relative; display: grid; height: clamp(340px, 62vh, 620px); background: var(--sunken); }
.report-stage > * { grid-area: 1 / 1; min-width: 0; }
.report-box iframe { display: block; border: 0; }
[data-state=loading] .report-box, [data-state=failed] .report-box { visibility: hidden; }
.report-note { z-index: 1; display: flex; flex-direction: column; gap: 12px; align-items: center; justify-content: center; padding: 24px; color: var(--muted); text-align: center; }
.report-note:empty { display: none; }
.report-note > .icon { color: var(--danger); font-size: 24px; }
[data-state=loading] .report-note p::before {
  content: ""; display: block; width: 26px; height: 26px; margin: 0 auto 12px;
  border: 3px solid var(--line); border-top-color: var(--accent); border-radius: 50%;
}

/* one agent's results beside another's */
.panels { gap: 20px; }
.panel { padding-left: 16px; border-left: 3px solid color-mix(in srgb, var(--accent) 40%, var(--line)); }
.panel header { display: flex; flex-wrap: wrap; gap: 2px 10px; align-items: baseline; margin-bottom: 10px; }
.panel h3 { font-size: 15px; font-weight: 620; letter-spacing: -.005em; }
.panel .views + .views:not(:empty) { margin-top: 12px; }

/* chips and asks */
.options, .suggestions { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.turn:not(:last-child) .suggestions { display: none; }
.chip, .primary {
  display: inline-flex; gap: 8px; align-items: center; padding: 6px 14px; font-size: 14px; line-height: 1.45;
  text-align: left; color: var(--accent); background: var(--surface);
  border: 1px solid color-mix(in srgb, var(--accent) 40%, var(--line)); border-radius: 99px;
  transition: background var(--quick), border-color var(--quick), opacity var(--quick);
}
.chip:not(:disabled):hover { background: var(--soft); border-color: var(--accent); }
.chip.quiet { color: var(--muted); border-color: var(--line); }
.chip:disabled, .primary:disabled { opacity: .5; }
.chip.taken { opacity: 1 !important; color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.primary { padding: 7px 18px; color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.primary:not(:disabled):hover { filter: brightness(1.08); }
.chip.box { cursor: pointer; }
.chip.box:has(:checked) { background: var(--soft); border-color: var(--accent); }
.chip.box:has(:disabled):not(:has(:checked)) { opacity: .5; }
.box input { width: 16px; height: 16px; margin: 0; accent-color: var(--accent); }
.ask { display: flex; flex-direction: column; gap: 12px; align-items: flex-start; min-width: 0; padding: 0; border: 0; }
.ask legend { padding: 0; margin-bottom: 12px; font-weight: 550; }
.ask.said legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.ask .hint:not(.range, .expired, .options .hint) { margin-top: -8px; }
.ask:disabled select, .ask:disabled .date { opacity: .6; }
.ask-error { color: var(--danger); font-size: 14px; }
.ask-error:empty { display: none; }
.group { flex-basis: 100%; margin-bottom: -2px; color: var(--muted); font-size: 13px; font-weight: 550; }
.find { width: min(100%, 34ch); padding: 6px 12px; font-size: 14px; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 8px; }
.long-list { display: flex; flex-direction: column; gap: 14px; width: 100%; max-height: 264px; padding: 12px; overflow-y: auto; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.range { display: flex; gap: 7px; align-items: center; }
.ask select { max-width: 100%; padding: 7px 10px; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 8px; }
.date { display: inline-flex; gap: 8px; align-items: center; font-size: 14px; color: var(--muted); }
.date input { padding: 6px 10px; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 8px; }

/* how it came about */
.outcome { display: flex; flex-wrap: wrap; align-items: center; color: var(--muted); font-size: 13px; }
.outcome span:not(:last-of-type)::after { content: "·"; margin: 0 8px; }
summary.outcome { width: fit-content; cursor: pointer; list-style: none; border-radius: 6px; }
summary.outcome::-webkit-details-marker { display: none; }
summary .icon { transition: transform var(--quick), color var(--quick); }
summary.outcome .icon { margin-left: 6px; }
details[open] summary .icon { transform: rotate(90deg); }
summary.outcome:hover { color: var(--text); }
.foot { display: flex; gap: 4px; align-items: flex-start; }
.foot .small { margin-top: -3px; }
.rate, .feedback { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; }
.feedback { flex-basis: 100%; gap: 8px; margin-top: 6px; }
.feedback input { flex: 1; min-width: 16ch; padding: 5px 10px; font-size: 14px; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 8px; }
.foot { flex-wrap: wrap; }
.answered[open] { flex-basis: 100%; }
.how { margin: 12px 0 6px; font-size: 14px; line-height: 1.5; }
.how > div { display: grid; grid-template-columns: 17ch minmax(0, 1fr); gap: 16px; padding: 9px 18px; }
.how > div + div { border-top: 1px solid color-mix(in srgb, var(--line) 70%, transparent); }
.how dt, .faint { color: var(--muted); }
.how dd { margin: 0; overflow-wrap: anywhere; }
.plain { display: flex; flex-wrap: wrap; gap: 2px 18px; padding: 0; list-style: none; }
.lacking .faint { color: var(--warn); }
.steps { display: grid; gap: 3px; padding: 0; list-style: none; }
.step { display: flex; gap: 9px; align-items: baseline; }
.step .icon { align-self: center; color: var(--accent); font-size: 13px; }
.step.failed .icon { color: var(--danger); }
.step-rows { color: var(--muted); }
.statement { position: relative; }
.statement + .statement { margin-top: 8px; }
.statement pre { max-height: 260px; padding: 10px 40px 10px 12px; overflow: auto; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; }
.statement code, .receipt code { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.statement .small { position: absolute; top: 5px; right: 8px; }
.receipt { display: inline-flex; gap: 6px; align-items: center; margin-block: -4px; }

/* composer */
.composer { position: relative; z-index: 1; width: 100%; max-width: 800px; margin: 0 auto; padding: 0 24px max(14px, env(safe-area-inset-bottom)); }
.field {
  display: flex; gap: 8px; align-items: flex-end; padding: 8px 8px 8px 20px; background: var(--surface);
  border: 1px solid var(--edge); border-radius: 26px; box-shadow: 0 6px 24px var(--shadow);
  transition: border-color var(--quick), box-shadow var(--quick);
}
.field:focus-within { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent), 0 6px 24px var(--shadow); }
textarea {
  flex: 1; min-width: 0; max-height: 200px; padding: 7px 0; resize: none; line-height: 1.5;
  background: none; border: 0; outline: 0;
}
textarea:focus-visible { outline: 0; }
textarea::placeholder { color: var(--muted); opacity: 1; }
.send {
  display: grid; flex: none; place-items: center; width: 38px; height: 38px; padding: 0; font-size: 18px;
  color: var(--on-accent); background: var(--accent); border: 0; border-radius: 50%;
  transition: background var(--quick), color var(--quick), filter var(--quick);
}
.send:not(:disabled):hover { filter: brightness(1.1); }
.send:disabled { color: var(--muted); background: var(--line); }
.composer .hint { margin-top: 8px; text-align: center; }
.composer .hint.wrong { color: var(--danger); }
.jump {
  position: absolute; z-index: 2; bottom: 14px; left: 50%; display: grid; place-items: center;
  width: 38px; height: 38px; padding: 0; font-size: 18px; background: var(--surface);
  border: 1px solid var(--edge); border-radius: 50%; box-shadow: 0 4px 16px var(--shadow);
  transform: translateX(-50%);
}

@media (max-width: 640px) {
  .column { padding: 20px 16px 28px; }
  .composer { padding-inline: 12px; }
  .composer .hint:not(.wrong) { display: none; }
  .welcome { padding-top: 5vh; }
  .starters { grid-template-columns: 1fr; gap: 10px; margin-top: 28px; }
  .starter { padding: 13px 14px 13px 16px; }
  .answer { grid-template-columns: minmax(0, 1fr); gap: 10px; margin-top: 20px; }
  .answer .avatar { width: 26px; height: 26px; font-size: 13px; }
  .turn:not(.running) .answer .avatar { display: none; }
  .question p { max-width: 90%; }
  .report { flex: 1 1 100%; flex-wrap: wrap; }
  .how > div { grid-template-columns: minmax(0, 1fr); gap: 2px; padding: 9px 14px; }
  .panel { padding-left: 12px; }
  .jump { right: 16px; left: auto; transform: none; }
  th, td { padding: 8px 14px; }
  .data summary { padding: 10px 14px 10px 10px; }
}
@media (prefers-reduced-motion: no-preference) {
  .running .avatar .icon { animation: twinkle 1.6s ease-in-out infinite; }
  .running .progress { animation: breathe 1.6s ease-in-out infinite; }
  .turn, .report-frame, .panel { animation: appear .25s ease-out; }
  [data-state=loading] .report-note p::before { animation: turn 1s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
  @keyframes twinkle { 50% { transform: scale(.72) rotate(45deg); opacity: .6; } }
  @keyframes breathe { 50% { opacity: .6; } }
  @keyframes appear { from { opacity: 0; transform: translateY(6px); } }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; }
}
@media (forced-colors: active) {
  .send, .chip, .starter, .question p { border: 1px solid; }
}
`);
