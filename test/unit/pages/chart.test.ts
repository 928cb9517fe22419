import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Chart, chart } from '../../../api/pages/kit/chart.ts';

const orders: Chart = {
  title: 'Orders',
  text: 'Recorded each day.',
  kind: 'bars',
  whole: true,
  total: '7',
  points: [
    { label: 'Nov 22, 2026', tick: 'Nov 22' },
    { label: 'Nov 23, 2026', tick: 'Nov 23' },
  ],
  series: [{ name: 'Orders <b>', values: [3, 4] }],
  format: String,
  empty: 'No orders.',
};

const drawn = (changes: Partial<Chart> = {}) => chart({ ...orders, ...changes }).markup;
const heights = (svg: string) =>
  [...svg.matchAll(/<rect[^>]* height="([^"]*)"/g)].map(([, height]) => Number(height));

describe('a chart', () => {
  it('is an image with a name and a data table, without scripts or inline styles', () => {
    const svg = drawn();
    expect(svg).toContain('role="img" aria-labelledby="chart-orders-title chart-orders-text"');
    expect(svg).toMatch(/<details>[\s\S]*<table[\s\S]*Nov 23, 2026[\s\S]*4/);
    expect(svg).not.toMatch(/<script|style=|<style|on\w+=/);
    expect(svg).toContain('Orders &lt;b&gt;');
  });

  it('has proportional bars, also for negative values', () => {
    const [three = 0, four = 0] = heights(drawn());
    expect(three / four).toBeCloseTo(3 / 4, 1);
    const [up = 0, down = 0] = heights(drawn({ series: [{ name: 'Owed', values: [5, -5] }] }));
    expect(up).toBeCloseTo(down);
  });

  it('breaks the line at missing values and shows isolated values', () => {
    const points = Array.from({ length: 60 }, (_, at) => ({ label: `${at}`, tick: `${at}` }));
    const values = points.map((_, at) => (at > 10 && at !== 30 ? null : 5));
    const svg = drawn({ kind: 'line', points, series: [{ name: 'Wait', values }] });
    expect(svg.match(/<circle/g)).toHaveLength(1);
    expect(svg).toContain('–');
  });

  it('uses whole numbers for counts', () => {
    const svg = drawn({ series: [{ name: 'Orders', values: [1, 0] }] });
    expect(svg.match(/text-anchor="end">[\d.]+</g)).toEqual([
      'text-anchor="end">0<',
      'text-anchor="end">1<',
    ]);
  });

  it('says when there is nothing to show', () => {
    const empty = drawn({ series: [{ name: 'Orders', values: [0, null] }] });
    expect(empty).toContain('No orders.');
    expect(empty).not.toContain('<svg role="img"');
  });

  it('has colors with at least 3:1 contrast, in light and dark mode', () => {
    const tokens = readFileSync(
      new URL('../../../api/pages/kit/tokens.css', import.meta.url),
      'utf8',
    );
    const lights = tokens.split('@media');
    expect(lights).toHaveLength(2);
    for (const light of lights) {
      const [, card = ''] = /--card: (#\w{6})/.exec(light) ?? [];
      const colors = [...light.matchAll(/--data-\d: (#\w{6})/g)].map(([, color = '']) => color);
      expect(colors).toHaveLength(3);
      for (const color of colors) expect(contrast(color, card)).toBeGreaterThan(3);
    }
  });
});

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
