import { scaleBand, scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { emptyState } from './page-parts.ts';
import { numberColumn, table } from './table.ts';

/** A series of figures: its name, and one figure for each point; null for no figure. */
interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
}

/** Figures over time, as a picture with the table of its data. */
export interface Chart {
  title: string;
  /** What the chart shows, in one sentence. */
  text: string;
  /** The most important figure, such as the sum. */
  total?: string | undefined;
  /** Bars of several series stand side by side; a line runs through the points of each series. */
  kind: 'bars' | 'line';
  points: readonly { label: string; tick: string }[];
  series: readonly ChartSeries[];
  /** More columns of the table, with text values. */
  columns?: readonly { name: string; values: readonly string[] }[];
  /** Formats a figure for people. */
  format(value: number): string;
  /** Formats a figure for the axis, where there is little room. */
  formatTick?(value: number): string;
  /** For counts: the axis shows no fractions. */
  whole?: boolean;
  /** The minimum upper end of the axis. */
  atLeast?: number;
  /** Shown instead of a picture if there are no figures. */
  empty: string;
}

// In picture units. The picture is shown at about this width, so its text has about the page's font size.
const WIDTH = 400;
const HEIGHT = 190;
const LEFT = 58;
const RIGHT = WIDTH - 12;
const TOP = 12;
const BOTTOM = HEIGHT - 26;
const X_LABELS = 5;
const Y_LABELS = 4;
/** Above this number of points, a line has no dots. */
const MAX_DOTS = 35;
/** Half the width of a label below the axis. */
const HALF_LABEL = 30;

/**
 * Draws a figure (SVG) on the server, without scripts and inline styles: its colors are style sheet classes. The same
 * data is in a collapsed table below it.
 */
export function chart(options: Chart): Markup {
  const { kind, title, text, total, series, empty } = options;
  const id = `chart-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
  const shows = (value: number | null) => value !== null && (kind === 'line' || value !== 0);
  const some = series.some(({ values }) => values.some(shows));
  return html`<figure class="chart">
<figcaption>${title}${some && total !== undefined && html` <b>${total}</b>`} <span class="hint">${text}</span></figcaption>
${
  some
    ? html`${legend(series)}${picture(options, id)}
<details><summary>Show as a table<span class="unseen">: ${title}</span></summary>${figuresTable(options)}</details>`
    : emptyState(empty)
}
</figure>`;
}

function legend(series: readonly ChartSeries[]): Markup | false {
  if (series.length < 2) return false;
  return html`<ul class="legend">${series.map(
    ({ name }, at) => html`<li class="series-${at + 1}">${name}</li>`,
  )}</ul>`;
}

function picture(options: Chart, id: string): Markup {
  const { kind, points, series, title, text } = options;
  const y = scaleLinear(limitsOf(options), [BOTTOM, TOP]).nice(Y_LABELS);
  const x = scaleBand(
    points.map((_, at) => at),
    [LEFT, RIGHT],
  ).padding(0.2);
  const middle = (at: number) => (x(at) ?? LEFT) + x.bandwidth() / 2;
  const marks =
    kind === 'bars'
      ? bars(options, (at) => x(at) ?? LEFT, x.bandwidth(), y)
      : series.map((each, at) => lineMarks(options, each, at, middle, y));
  return html`<svg role="img" aria-labelledby="${id}-title ${id}-text" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<title id="${id}-title">${title}</title>
<desc id="${id}-text">${text} The figures are in the table below.</desc>
${yAxis(options, y)}${xAxis(points, middle)}${marks}
</svg>`;
}

type Scale = (value: number) => number;

function limitsOf({ series, atLeast = 0 }: Chart): [lowest: number, highest: number] {
  const values = series.flatMap((each) => each.values.map((value) => value ?? 0));
  return [Math.min(0, ...values), Math.max(atLeast, ...values)];
}

function yAxis(
  { whole, format, formatTick = format }: Chart,
  y: Scale & { ticks(count: number): number[] },
): Markup {
  const ticks = y.ticks(Y_LABELS).filter((tick) => !whole || Number.isInteger(tick));
  return html`${ticks.map(
    (tick) => html`<path class="grid" d="M${LEFT} ${round(y(tick))}H${RIGHT}"/>
<text x="${LEFT - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${formatTick(tick)}</text>
`,
  )}`;
}

function xAxis(points: Chart['points'], middle: Scale): Markup {
  const step = Math.ceil(points.length / X_LABELS);
  return html`${points.map(({ tick }, at) => {
    if (at % step !== 0) return '';
    const atEnd = middle(at) + HALF_LABEL > WIDTH;
    return html`<text x="${round(atEnd ? WIDTH : middle(at))}" y="${HEIGHT - 8}" text-anchor="${atEnd ? 'end' : 'middle'}">${tick}</text>
`;
  })}`;
}

function bars(
  { points, series, format }: Chart,
  left: Scale,
  width: number,
  y: Scale,
): (Markup | false)[] {
  const each = width / series.length;
  return points.flatMap(({ label }, at) =>
    series.map(({ name, values }, which) => {
      const value = values[at] ?? 0;
      if (value === 0) return false;
      const [high, low] = [y(Math.max(0, value)), y(Math.min(0, value))];
      const place = attributes({
        class: `series-${which + 1}`,
        x: round(left(at) + which * each),
        y: round(high),
        width: round(each),
        height: round(low - high),
      });
      return html`<rect${place}><title>${name}, ${label}: ${format(value)}</title></rect>
`;
    }),
  );
}

function lineMarks(
  { points, format }: Chart,
  { name, values }: ChartSeries,
  which: number,
  middle: Scale,
  y: Scale,
): Markup {
  const place = line<number | null>()
    .defined((value) => value !== null)
    .x((_, at) => round(middle(at)))
    .y((value) => round(y(value ?? 0)));
  const dotted = (at: number) =>
    points.length <= MAX_DOTS ||
    ((values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null);
  return html`<path class="line series-${which + 1}" d="${place(values)}"/>
${values.map((value, at) => {
  if (value === null || !dotted(at)) return '';
  const label = `${points[at]?.label}: ${format(value)}`;
  return html`<circle class="series-${which + 1}" cx="${round(middle(at))}" cy="${round(y(value))}" r="3"><title>${name}, ${label}</title></circle>
`;
})}`;
}

function figuresTable({ title, points, series, columns = [], format }: Chart): Markup {
  return table(
    title,
    [
      'Period',
      ...series.map(({ name }) => numberColumn(name)),
      ...columns.map(({ name }) => numberColumn(name)),
    ],
    points.map(({ label }, at) => [
      label,
      ...series.map(({ values }) => {
        const value = values[at] ?? null;
        return value === null ? '–' : format(value);
      }),
      ...columns.map(({ values }) => values[at] ?? ''),
    ]),
    '',
  );
}

/** Rounds to a tenth: more digits than a screen can show only cost bytes. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
