import { describe, expect, it } from '@jest/globals';
import { type PageContext, renderMarkdown } from '../../../api/pages/docs/markdown.ts';
import { stateDiagram } from '../../../api/pages/docs/state-diagram.ts';
import { readProjectFile } from '../../support/sources.ts';

const CONTEXT: PageContext = { resolve: (href) => ({ href }), samples: new Map() };

const textsOf = (markup: string) =>
  [...markup.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

describe('the state diagram', () => {
  const drawings = [
    ...readProjectFile('docs/states.md').matchAll(/^```mermaid\n([\s\S]*?)^```$/gm),
  ].map(([, text = '']) => text);

  it.each(drawings)('shows every state and move: %#', (text) => {
    const moves = [...text.matchAll(/^ +(\S+) --> (\S+?)(?:: (\w+))?$/gm)].filter(
      ([, , to]) => to !== '[*]',
    );
    const states = new Set(moves.flatMap(([, from, to]) => [from, to]));
    states.delete('[*]');
    const named = moves.flatMap(([, from, to, label]) => {
      if (label === undefined) return [];
      return [from === to ? `↻ ${label}` : label];
    });
    const drawn = stateDiagram(text, 'here')?.markup ?? '';
    expect(textsOf(drawn).sort()).toEqual([...states, ...named].sort());
    const lines = [...drawn.matchAll(/<path class="move" d="M[^"]+"/g)];
    expect(lines).toHaveLength(moves.filter(([, from, to]) => from !== to).length);
    expect(drawn).not.toMatch(/NaN|undefined/);
  });

  it.each(drawings)('shows the same in its vertical form for narrow pages: %#', (text) => {
    const drawn = stateDiagram(text, 'here')?.markup ?? '';
    const steps = [...drawn.matchAll(/<b class="at">(\w+)<\/b>(.*?<\/li>)\n/gs)].flatMap(
      ([, from, rest = '']) =>
        [...rest.matchAll(/"by">([\w ]+)<\/span> <span class="to">(\w+)</g)].map(
          ([, by, to]) => `${from} --> ${to === 'stays' ? from : to}: ${by}`,
        ),
    );
    const moves = [...text.matchAll(/^ +(\w+ --> \w+)(: \w+)?$/gm)].map(
      ([, way, by = ': then']) => way + by,
    );
    expect(steps.sort()).toEqual(moves.sort());
  });

  it('falls back to a code block if it cannot draw, and escapes text', () => {
    const page = (text: string) => renderMarkdown(`\`\`\`mermaid\n${text}\n\`\`\``, CONTEXT).markup;
    expect(page('flowchart TD\n  a --> b')).toContain('<pre');
    expect(page('stateDiagram-v2\n  note left of a')).toContain('<pre');
    expect(page('stateDiagram-v2\n  a --> b: <script>')).toContain('&lt;script&gt;</text>');
  });

  it('is an image with a name and its own id', () => {
    const { markup } = renderMarkdown(readProjectFile('docs/states.md'), CONTEXT);
    expect(markup).not.toContain('stateDiagram');
    const ids = [...markup.matchAll(/aria-labelledby="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(drawings.length);
  });
});
