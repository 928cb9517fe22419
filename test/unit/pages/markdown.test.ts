import { describe, expect, it } from '@jest/globals';
import { type PageContext, renderMarkdown } from '../../../api/pages/docs/markdown.ts';

const NOTHING: PageContext = { resolve: (href) => ({ href }) };
const render = (text: string, context = NOTHING) => renderMarkdown(text, context).markup;

describe('a page of Markdown', () => {
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
  ])('makes no markup of what is none: %s', (text) => {
    const markup = render(text);
    expect(markup).not.toMatch(/<script|<img|href="(?:javascript|data):/i);
    expect(markup).not.toMatch(/<[^>]*\son\w+=/i);
  });

  it('names headings as code hosts do, and leads to each', () => {
    const page = renderMarkdown('# T\n\n## `PUT /a_b`, twice\n\n### Twice\n\n## Twice', NOTHING);
    expect(page.title).toBe('T');
    expect(page.headings).toEqual([
      { level: 2, id: 'put-a_b-twice', text: 'PUT /a_b, twice' },
      { level: 3, id: 'twice', text: 'Twice' },
      { level: 2, id: 'twice-1', text: 'Twice' },
    ]);
    expect(page.markup).toContain('<h2 id="twice-1">Twice <a class="anchor" href="#twice-1"');
  });

  it('leads to pages by their names, and to nothing that is not published', () => {
    const context: PageContext = {
      resolve: (target) =>
        target === 'errors.md' ? { href: '/docs/errors', name: 'Errors' } : null,
    };
    expect(render('See [errors.md](errors.md) and [it](errors.md).', context)).toBe(
      '<p>See <a href="/docs/errors">Errors</a> and <a href="/docs/errors">it</a>.</p>\n',
    );
    expect(render('[inner](../shared/inner.ts)', context)).toBe(
      '<p><span title="inner.ts, in the repository">inner</span></p>\n',
    );
  });
});
