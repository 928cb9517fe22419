import { html } from '../../../../shared/platform/html.ts';
import { inputField } from '../../kit/form.ts';

const TYPED = { spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off' };

/**
 * The form of the partner API reference for a SANDBOX key, which signs what is tried there. Its fields have no names,
 * and the page's policy lets no form send anything.
 */
export const requestSigner = html`<section class="signer" aria-labelledby="signer-title">
<h2 id="signer-title">Try it with a SANDBOX key</h2>
<p>Your browser signs each request. The secret stays in the memory of this page: it is neither sent nor stored, and is gone when you leave. Other keys are refused. Keys are under <a href="/partner">API keys</a>.</p>
<form id="signer-form" autocomplete="off">
<div class="fields">
${inputField({ id: 'signer-key-id', label: 'Key ID', value: '', attributes: TYPED })}
${inputField({ id: 'signer-secret', label: 'Secret', type: 'password', value: '', attributes: TYPED })}
</div>
<p class="error" id="signer-fault" role="alert"></p>
</form>
<details><summary>Canonical string of the last request</summary>
<pre tabindex="0" id="signer-canonical">Nothing has been signed yet.</pre>
</details>
</section>
`;

/**
 * The form of the public API reference that gets an access token for readers who want to try operations signed in. Its
 * fields have no names, and the page's policy lets no form send anything.
 */
export const signInForm = html`<details class="signer"><summary>Try it signed in</summary>
<p>Without a token, calls are anonymous. Register a client whose redirect URI is <code>/docs/oauth2-redirect</code> on this site (<a href="/docs/sign-in">signing users in</a>); the token stays in the memory of this page.</p>
<form id="sign-in-form" autocomplete="off">
${inputField({ id: 'sign-in-client', label: 'Client ID', value: '', attributes: { spellcheck: 'false' } })}
<p><label><input type="checkbox" id="sign-in-domains"> Also manage domains (<code>domains:manage</code>)</label></p>
<p class="error" role="alert"></p>
<button type="submit">Sign in</button>
<p class="outcome" role="status"></p>
</form>
</details>
`;
