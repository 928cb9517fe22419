import type { Router } from 'express';
import {
  readStoppable,
  stopTransferOut,
} from '../../../shared/domains/transfers-out/follow-transfer-out.ts';
import type { TransferOut } from '../../../shared/domains/transfers-out/transfer-out.ts';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cardPage } from '../kit/card-page.ts';
import { domainInText } from '../kit/page-parts.ts';
import { mailedLinkRouter } from './link-by-mail.ts';
import type { TakeSlot } from './sign-in-slots.ts';

const PATH = '/stop-transfer';

/** Serves the “This was not me” link in a mail about a transfer: it stops the transfer without signing in. */
export function stopTransferRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  return mailedLinkRouter<TransferOut>(
    {
      path: PATH,
      read: (token) => readStoppable(runtime, token),
      page: (token, { domain }, error) =>
        cardPage({
          title: `Keep ${unicodeOf(domain)}?`,
          error,
          content: html`<p class="lead">This revokes the authorization code of ${domainInText(domain)}, declines the other registrar’s request, and locks the domain.</p>
<form method="post" action="/account${PATH}">
<input type="hidden" name="t" value="${token}">
<button class="primary" type="submit">Stop the transfer</button>
</form>`,
        }),
      async use(_given, out) {
        await runtime.db.transact((uow) => stopTransferOut(uow, `mail:${out.userId}`, out));
        return cardPage({
          title: 'The transfer is being stopped',
          content: html`<p class="lead">We will email you when it is done, within a few minutes. If someone else was in your account, change your password now and end your other sessions.</p>
<p><a class="button primary" href="/account/security">Secure your account</a></p>`,
        });
      },
    },
    takeSlot,
  );
}
