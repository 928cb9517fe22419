import { html, type Markup } from '../../../shared/platform/html.ts';
import { field, inputField, selectField } from '../kit/form.ts';
import { notice } from '../kit/page-parts.ts';

/** The worked example of docs/signing.md, which the inspector starts with. */
const EXAMPLE = {
  keyId: 'pk_sandbox_0123456789abcdefABCDEFGH',
  secret: 'sk_sandbox_this-is-an-example-and-opens-nothing-000000',
  path: '/api/partner/v1/quotes',
  timestamp: '1797000000',
  nonce: '0b8b7a57-70d3-4b0c-8f5b-8f6a2b1c9d10',
  body: '{"domain":"neonwallet.com"}',
} as const;

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

const TYPED = { spellcheck: 'false', autocapitalize: 'off' };

const FIELDS: readonly Markup[] = [
  selectField({
    id: 'in-method',
    label: 'Method',
    choices: METHODS.map((method) => ({ value: method, text: method })),
    chosen: 'POST',
  }),
  inputField({ id: 'in-path', label: 'Path', value: EXAMPLE.path, attributes: TYPED }),
  inputField({
    id: 'in-query',
    label: 'Query',
    hint: 'As sent, without the question mark.',
    value: '',
    attributes: TYPED,
  }),
  inputField({
    id: 'in-timestamp',
    label: 'Timestamp',
    value: EXAMPLE.timestamp,
    attributes: { inputmode: 'numeric' },
  }),
  inputField({ id: 'in-nonce', label: 'Nonce', value: EXAMPLE.nonce, attributes: TYPED }),
  field(
    {
      id: 'in-body',
      label: 'Body',
      hint: 'The bytes as sent. A GET has none.',
      attributes: { rows: 3, spellcheck: 'false' },
    },
    (given) => html`<textarea${given}>${EXAMPLE.body}</textarea>`,
  ),
  inputField({ id: 'in-key-id', label: 'Key ID', value: EXAMPLE.keyId, attributes: TYPED }),
  inputField({
    id: 'in-secret',
    label: 'Secret',
    hint: 'Stays in this page.',
    type: 'password',
    value: EXAMPLE.secret,
    attributes: { autocomplete: 'off', spellcheck: 'false' },
  }),
];

/** The form that signs in the browser. Its fields have no names, and the page's policy forbids sending. */
export const inspector = {
  heading: { level: 2, id: 'inspector', text: 'Inspector' },
  lead: html`${notice({ tone: 'neutral', content: html`To sign a request of your own, use the <a href="#inspector">inspector</a> below.` })}
`,
  content: html`<h2 id="inspector">Inspector</h2>
<p>Enter a request to see its canonical string, the hash of its body, its signature and a curl command.</p>
${notice({
  tone: 'neutral',
  id: 'inspector-promise',
  content: html`<strong>Nothing leaves this page.</strong> Your browser computes the signature. The secret is neither sent nor stored, and this page’s content policy blocks every connection. Use a sandbox secret anyway: a live one belongs on your backend only.`,
})}
<noscript><p>The inspector needs JavaScript.</p></noscript>
<div class="inspector">
<form id="inspector-form" autocomplete="off" aria-describedby="inspector-promise">
<div class="fields">
${FIELDS}
</div>
<p class="acts"><button type="button" id="fresh">Current time and a new nonce</button></p>
<p class="error" id="out-fault" role="alert"></p>
${output('canonical', 'Canonical string')}
${output('hash', 'SHA-256 of the body')}
${output('signature', 'X-Service-Signature')}
${output('curl', 'curl')}
</form>
</div>
`,
} as const;

function output(name: string, label: string): Markup {
  return html`<div class="code"><div class="code-bar"><span>${label}</span><button type="button" class="copy" aria-label="Copy: ${label}">Copy</button></div><pre tabindex="0"><code id="out-${name}"></code></pre></div>`;
}
