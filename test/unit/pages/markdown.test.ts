import { describe, expect, it } from '@jest/globals';
import { type PageContext, renderMarkdown } from '../../../api/pages/docs/markdown.ts';

const NOTHING: PageContext = { resolve: (href) => ({ href }), samples: new Map() };
const render = (text: string, context = NOTHING) => renderMarkdown(text, context).markup;

describe('rendering Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '![x](javascript:alert(1))',
    '`<script>`',
    '```"><script>\n<script>alert(1)</script>\n```',
    '## <script>alert(1)</script> "><img src=x>',
    '| <script> |\n| --- |\n| <img onerror=x> |',
    '[x](a"onmouseover="alert)',
  ])('escapes unsafe markup: %s', (text) => {
    const markup = render(text);
    expect(markup).not.toMatch(/<script|<img|href="(?:javascript|data):/i);
    expect(markup).not.toMatch(/<[^>]*\son\w+=/i);
  });

  it('gives headings the ids that code hosts use and links to each', () => {
    const page = renderMarkdown('# T\n\n## `PUT /a_b`, twice\n\n### Twice\n\n## Twice', NOTHING);
    expect(page.title).toBe('T');
    expect(page.headings).toEqual([
      { level: 2, id: 'put-a_b-twice', text: 'PUT /a_b, twice' },
      { level: 3, id: 'twice', text: 'Twice' },
      { level: 2, id: 'twice-1', text: 'Twice' },
    ]);
    expect(page.markup).toContain('<h2 id="twice-1">Twice <a class="anchor" href="#twice-1"');
  });

  it('links to pages by name', () => {
    const context: PageContext = {
      ...NOTHING,
      resolve: () => ({ href: '/docs/errors', name: 'Errors' }),
    };
    expect(render('See [errors.md](errors.md) and [it](errors.md).', context)).toBe(
      '<p>See <a href="/docs/errors">Errors</a> and <a href="/docs/errors">it</a>.</p>\n',
    );
  });

  it('aligns a column of figures', () => {
    const markup = render('|Of|Amount|\n|---|---:|\n|`a`|1.00|');
    expect(markup).toContain('<th scope="col" class="number">Amount</th>');
    expect(markup).toContain('<td class="number">1.00</td>');
  });

  describe('a list of samples', () => {
    const context: PageContext = {
      resolve: (target) => ({ href: `/docs/${target}` }),
      samples: new Map([
        ['/docs/a/b.sh', 'echo "<hello>"\n'],
        ['/docs/a/b.mts', 'export {};\n'],
      ]),
    };
    const list =
      '<!-- samples -->\n\n- [curl](a/b.sh). With *bash*: `bash b.sh`.\n- [TypeScript](a/b.mts)\n\nAfter.';

    it('shows the name, note, code, and download link of each', () => {
      const { markup, hasSamples } = renderMarkdown(`Before.\n\n${list}`, context);
      expect(hasSamples).toBe(true);
      expect(markup.match(/<section[^>]*>\n<h3>.*<\/h3>/g)).toEqual([
        '<section class="sample" id="curl" data-language="sh">\n<h3>curl</h3>',
        '<section class="sample" id="typescript" data-language="ts">\n<h3>TypeScript</h3>',
      ]);
      expect(markup).toContain('<p>With <em>bash</em>: <code>bash b.sh</code>.</p>');
      expect(markup).toContain('&lt;hello&gt;');
      expect(markup.match(/<a[^>]* download>/g)).toEqual([
        '<a class="button" href="/docs/a/b.sh" download>',
        '<a class="button" href="/docs/a/b.mts" download>',
      ]);
      expect(markup).not.toMatch(/<!--|&lt;!--|<li>/);
      expect(markup).toMatch(/^<p>Before.<\/p>\n[\s\S]*<p>After.<\/p>\n$/);
    });

    it('gives each sample a unique id', () => {
      const { markup } = renderMarkdown(`## curl\n\n${list}\n\n${list}`, context);
      const ids = [...markup.matchAll(/<section[^>]* id="([^"]+)"/g)].map(([, id]) => id);
      expect(ids).toEqual(['curl-1', 'typescript', 'curl-2', 'typescript-1']);
    });

    it('needs no heading for a single sample', () => {
      const { markup } = renderMarkdown('<!-- samples -->\n\n- [curl](a/b.sh). Note.', context);
      expect(markup).toContain('data-language="sh">\n<p>Note.</p>');
    });

    it('fails for a file that is not published', () => {
      expect(() => render(list)).toThrow('The sample “curl” links to no file that is published.');
    });
  });
});
