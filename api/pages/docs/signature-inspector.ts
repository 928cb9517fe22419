import { html, type Markup } from '../kit/html.ts';

/** The worked example of docs/signing.md, with which the inspector starts. */
export const EXAMPLE = {
  keyId: 'pk_sandbox_0123456789abcdefABCDEFGH',
  secret: 'sk_sandbox_this-is-an-example-and-opens-nothing-000000',
  path: '/api/partner/v1/quotes',
  timestamp: '1797000000',
  nonce: '0b8b7a57-70d3-4b0c-8f5b-8f6a2b1c9d10',
  body: '{"domain":"neonwallet.com"}',
} as const;

const METHODS = ['POST', 'GET', 'PUT', 'DELETE'];

/** A form that signs in the browser. Its fields have no names, and the page's policy forbids sending. */
export const inspector = {
  heading: { level: 2, id: 'inspector', text: 'Inspector' },
  lead: html`<p class="notice">To see what your own request should be signed as, use the <a href="#inspector">inspector</a> below.</p>
`,
  content: html`<h2 id="inspector">Inspector</h2>
<p>Type a request and see its canonical string, the hash of its body, its signature and a command for curl as you type.</p>
<p class="notice" id="inspector-promise"><strong>Nothing leaves this page.</strong> The signature is made by your browser. The secret is neither sent nor stored, and this page's content policy forbids it to connect to anything. Use a sandbox secret all the same: a live one belongs on your backend and nowhere else.</p>
<noscript><p>The inspector needs JavaScript.</p></noscript>
<div class="inspector">
<form id="inspector-form" autocomplete="off" aria-describedby="inspector-promise">
<div class="fields">
<div><label for="in-method">Method</label><select id="in-method">${METHODS.map((method) => html`<option>${method}</option>`)}</select></div>
<div><label for="in-path">Path</label><input id="in-path" value="${EXAMPLE.path}" spellcheck="false" autocapitalize="off"></div>
<div class="wide"><label for="in-query">Query <span class="hint">as sent, without the question mark</span></label><input id="in-query" value="" spellcheck="false" autocapitalize="off"></div>
<div><label for="in-timestamp">Timestamp</label><input id="in-timestamp" value="${EXAMPLE.timestamp}" inputmode="numeric"></div>
<div><label for="in-nonce">Nonce</label><input id="in-nonce" value="${EXAMPLE.nonce}" spellcheck="false" autocapitalize="off"></div>
<div class="wide"><label for="in-body">Body <span class="hint">the bytes as sent; GET has none</span></label><textarea id="in-body" rows="3" spellcheck="false">${EXAMPLE.body}</textarea></div>
<div><label for="in-key-id">Key id</label><input id="in-key-id" value="${EXAMPLE.keyId}" spellcheck="false" autocapitalize="off"></div>
<div><label for="in-secret">Secret <span class="hint">stays in this page</span></label><input id="in-secret" type="password" value="${EXAMPLE.secret}" autocomplete="off" spellcheck="false"></div>
</div>
<p class="acts"><button type="button" id="fresh">This moment and a new nonce</button></p>
<p class="fault" id="out-fault" role="alert"></p>
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
