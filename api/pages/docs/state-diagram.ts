import { createRequire } from 'node:module';
import type { Edge, Graph } from '@dagrejs/dagre';
import { html, type Markup } from '../../../shared/platform/html.ts';

interface Move {
  from: string;
  to: string;
  label: string;
}

/** The width of a character, in drawing units. */
const CHARACTER = 7.4;
const LINE = 16;

/**
 * Draws a Mermaid `stateDiagram-v2` that consists only of transitions, as code hosts draw it; returns undefined for any
 * other text. The start is a dot; an end state has a double border; a transition from a state to itself is written in
 * its box. If the drawing does not fit, the page shows the states below each other instead.
 */
export function stateDiagram(text: string, id: string): Markup | undefined {
  const [kind = '', ...lines] = text.trim().split('\n');
  if (kind !== 'stateDiagram-v2') return undefined;
  const moves: Move[] = [];
  for (const line of lines) {
    const [, from, to, label = ''] = /^\s*(\S+) --> (\w+|\[\*\])(?:: (.+))?$/.exec(line) ?? [];
    if (from === undefined || to === undefined) return undefined;
    moves.push({ from, to, label });
  }
  const last = new Set(moves.filter(({ to }) => to === '[*]').map(({ from }) => from));
  const drawn = moves.filter(({ to }) => to !== '[*]');
  const graph = layOut(drawn);
  return html`<div class="diagram">${draw(graph, last, id)}${stack(graph, drawn, last)}</div>\n`;
}

/** Loads the library when a page with a diagram is first requested. */
function dagre(): typeof import('@dagrejs/dagre') {
  return createRequire(import.meta.url)('@dagrejs/dagre');
}

function layOut(moves: readonly Move[]): Graph {
  const { Graph, layout } = dagre();
  const graph = new Graph({ directed: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 20, ranksep: 28, edgesep: 12, marginx: 6, marginy: 6 });
  for (const state of new Set(moves.flatMap(({ from, to }) => [from, to]))) {
    const stays = moves.find(({ from, to }) => from === state && to === state);
    const lines = stays ? [state, `↻ ${stays.label}`] : [state];
    const width = Math.max(...lines.map((line) => line.length)) * CHARACTER + 24;
    const size = { width, height: 18 + lines.length * LINE, lines };
    graph.setNode(state, state === '[*]' ? { width: 14, height: 14 } : size);
  }
  for (const { from, to, label } of moves) {
    if (from === to) continue;
    const before = graph.edge(from, to)?.label as string | undefined;
    const text = before === undefined ? label : `${before}, ${label}`;
    const size = text === '' ? {} : { width: text.length * CHARACTER + 6, height: LINE };
    graph.setEdge(from, to, { label: text, labelpos: 'c', ...size });
  }
  layout(graph);
  return graph;
}

function draw(graph: Graph, last: ReadonlySet<string>, id: string): Markup {
  const { width, height } = graph.graph();
  const edges = graph.edges();
  const states = graph.nodes().filter((name: string) => name !== '[*]');
  const [w, h] = [Math.ceil(width ?? 0), Math.ceil(height ?? 0)];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img" aria-labelledby="${id}-title"><title id="${id}-title">The moves of the table above, drawn: ${states.join(', ')}.</title><defs><marker id="${id}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0 8 4 0 8Z"/></marker></defs>
${edges.map((edge: Edge) => html`<path class="move" d="${path(graph, edge)}" marker-end="url(#${id}-arrow)"/>\n`)}${edges.map((edge: Edge) => label(graph, edge))}${graph.nodes().map((name: string) => state(graph, name, last))}</svg>`;
}

/** Lists the states in the order of the drawing, end states last, each with its outgoing transitions. */
function stack(graph: Graph, moves: readonly Move[], last: ReadonlySet<string>): Markup {
  const placed = graph.nodes().filter((name: string) => name !== '[*]');
  placed.sort((a: string, b: string) => {
    const [one, other] = [graph.node(a), graph.node(b)];
    return Number(last.has(a)) - Number(last.has(b)) || one.y - other.y || one.x - other.x;
  });
  const starts = new Set(moves.filter(({ from }) => from === '[*]').map(({ to }) => to));
  return html`<ul class="stack">${placed.map((name: string) => {
    const onward = moves.filter(({ from }) => from === name);
    return html`<li><b class="at">${name}</b>${starts.has(name) && html` <span class="by">start</span>`}${last.has(name) && html` <span class="by">end</span>`}${
      onward.length > 0 &&
      html`<ul>${onward.map(({ label: by, to }) => html`<li><span class="by">${by || 'then'}</span> <span class="to">${to === name ? 'stays' : to}</span></li>`)}</ul>`
    }</li>\n`;
  })}</ul>`;
}

/** Returns a line that curves smoothly through the layout's points. */
function path(graph: Graph, edge: Edge): string {
  const points: { x: number; y: number }[] = graph.edge(edge)?.points ?? [];
  const [first, ...rest] = points.map(({ x, y }) => ({ x: round(x), y: round(y) }));
  const end = rest.pop();
  if (!first || !end) return '';
  const bends = rest.map((point, at) => {
    const next = rest[at + 1] ?? end;
    const middle =
      at === rest.length - 1
        ? end
        : { x: round((point.x + next.x) / 2), y: round((point.y + next.y) / 2) };
    return `Q${point.x} ${point.y} ${middle.x} ${middle.y}`;
  });
  return `M${first.x} ${first.y}${bends.join('') || `L${end.x} ${end.y}`}`;
}

function label(graph: Graph, edge: Edge): Markup | undefined {
  const { label: text = '', x = 0, y = 0, width = 0 } = graph.edge(edge) ?? {};
  if (text === '') return undefined;
  return html`<rect class="back" x="${round(x - width / 2)}" y="${round(y - LINE / 2)}" width="${round(width)}" height="${LINE}"/><text class="by" x="${round(x)}" y="${round(y + 4)}">${text}</text>\n`;
}

function state(graph: Graph, name: string, last: ReadonlySet<string>): Markup {
  const { x, y, width, height, lines } = graph.node(name);
  if (name === '[*]')
    return html`<circle class="start" cx="${round(x)}" cy="${round(y)}" r="6"/>\n`;
  const box = (inset: number) =>
    html`<rect class="state" x="${round(x - width / 2 + inset)}" y="${round(y - height / 2 + inset)}" width="${round(width - 2 * inset)}" height="${round(height - 2 * inset)}" rx="${8 - inset}"/>`;
  return html`${box(0)}${last.has(name) && box(3)}${lines.map((line: string, at: number) => html`<text${at > 0 && html` class="by"`} x="${round(x)}" y="${round(y + 4 + (at - (lines.length - 1) / 2) * LINE)}">${line}</text>`)}\n`;
}

const round = (value: number) => Math.round(value * 10) / 10;
