import { type Request, type Response, Router } from 'express';
import { MAIL_TOPICS, type MailTopic } from '../../../shared/messaging/mail/mail.ts';
import { chooseTopic } from '../../../shared/messaging/mail/mail-settings.ts';
import { readUnsubscribeToken } from '../../../shared/messaging/mail/unsubscribe-link.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cardPage, noticePage } from '../kit/card-page.ts';
import { errorPage, INVALID_LINK } from '../kit/error-page.ts';
import { pageHeaders } from '../kit/page-headers.ts';

/**
 * Serves the unsubscribe link of each notice: no account, a signed link. Mail programs POST to it in one click (RFC
 * 8058); browsers ask first, since some programs open every link of a mail.
 */
export function unsubscribeRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(pageHeaders('mail'));

  const choiceOf = async (req: Request) => {
    const choice = await readUnsubscribeToken(runtime.tokens, String(req.query.t ?? ''));
    if (!choice) throw fail('not_found');
    return choice;
  };
  const at = (path: string, res: Response) => {
    res.locals.route = `/mail${path}`;
  };

  router.get('/unsubscribe', async (req, res) => {
    at('/unsubscribe', res);
    const { email, topic } = await choiceOf(req);
    res.type('html').send(
      cardPage({
        title: 'Unsubscribe?',
        content: html`<p>${email} will no longer get these emails:</p>
<p><strong>${MAIL_TOPICS[topic]}</strong></p>
${form('unsubscribe', String(req.query.t), 'Unsubscribe')}`,
      }),
    );
  });
  router.post('/unsubscribe', async (req, res) => {
    at('/unsubscribe', res);
    const choice = await choiceOf(req);
    await chooseTopic(runtime, choice, false);
    res.type('html').send(unsubscribed(choice, String(req.query.t)));
  });
  router.post('/subscribe', async (req, res) => {
    at('/subscribe', res);
    const { email, topic } = await choiceOf(req);
    await chooseTopic(runtime, { email, topic }, true);
    res.type('html').send(
      cardPage({
        title: 'You are subscribed again',
        content: html`<p>${email} gets these emails again: <strong>${MAIL_TOPICS[topic]}</strong></p>`,
      }),
    );
  });
  router.use(() => {
    throw fail('not_found');
  });
  router.use(
    errorPage({
      log: runtime.log,
      words: ({ status }) => (status === 404 ? INVALID_LINK : undefined),
      render: noticePage,
    }),
  );
  return router;
}

function unsubscribed({ email, topic }: { email: string; topic: MailTopic }, token: string) {
  return cardPage({
    title: 'You are unsubscribed',
    content: html`<p>${email} no longer gets these emails: <strong>${MAIL_TOPICS[topic]}</strong></p>
${form('subscribe', token, 'Subscribe again')}`,
  });
}

const form = (action: string, token: string, label: string) =>
  html`<form method="post" action="/mail/${action}?t=${encodeURIComponent(token)}"><button type="submit">${label}</button></form>`;
