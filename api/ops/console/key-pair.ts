import { html, type Markup } from '../../pages/html.ts';
import type { OpsAnswer } from '../action.ts';
import { descriptionList } from './parts.ts';

/** A key pair with its secret, for the one page that may show it. */
export function newKeyPairNotice(answer: OpsAnswer): Markup {
  const previous = answer.previous as { key_id: string; expires_at: Date } | undefined;
  return html`<div class="secret" role="status" tabindex="-1" autofocus>
<p><strong>Copy the secret now.</strong> It is shown this once; nobody can read it again.</p>
<p>Key id: <code>${answer.key_id}</code></p>
<p>Secret: <code>${answer.secret}</code></p>
</div>
${descriptionList([
  ['Environment', answer.environment],
  ['Scopes', (answer.scopes as readonly string[]).join(', ')],
  ['The old pair', previous?.key_id],
  ['is good until', previous?.expires_at.toISOString()],
])}`;
}
