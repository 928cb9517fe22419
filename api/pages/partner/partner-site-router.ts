import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { MemberRole } from '../../../shared/people/members/member.ts';
import { listPartnersOf, type PartnerOfMember } from '../../../shared/people/members/members.ts';
import { canonicalKeyId, SCOPES } from '../../../shared/people/partners/credential.ts';
import {
  createCredential,
  revokeCredential,
  rotateCredential,
} from '../../../shared/people/partners/credential-lifecycle.ts';
import {
  readCredential,
  readCredentials,
} from '../../../shared/people/partners/read-credentials.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formBody, formFields } from '../../http/form-body.ts';
import { sameOriginOnly } from '../../http/same-origin.ts';
import { accountCard, accountPage } from '../account/account-layout.ts';
import { requireAccount, signedInOf } from '../account/account-session.ts';
import { refusalOf } from '../account/form-refusal.ts';
import { errorPage } from '../kit/error-page.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import { keyList, newSecret, partnerList } from './partner-key-pages.ts';

/** Who of a partner's members may issue, rotate and revoke its keys; the others see the list. */
const KEY_ROLES: readonly MemberRole[] = ['admin', 'developer'];

/** The partners' own site under `/partner`: for now its members, and the keys of the API. */
export function partnerSiteRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true });
  const keys = '/:partner/keys';
  router.use(pageHeaders('account'), sameOriginOnly(runtime.config), formBody());
  router.use((_req, res, next) => {
    res.locals.route = '/partner/*';
    next();
  });
  router.use(requireAccount(runtime));

  router.get('/', async (_req, res) => {
    const { user } = signedInOf(res);
    const partners = await listPartnersOf(runtime, user.id);
    const content = partnerList(partners);
    res.type('html').send(accountPage({ title: 'Partners', email: user.email, content }));
  });

  const showKeys = async (res: Response, error?: string) => {
    const { user } = signedInOf(res);
    const { partnerId, name, role }: PartnerOfMember = res.locals.partner;
    const credentials = await readCredentials(runtime, partnerId);
    const may = KEY_ROLES.includes(role);
    const content = keyList({ partnerId, credentials, may, now: runtime.clock.now() });
    const title = `API keys of ${name}`;
    res.type('html').send(accountPage({ title, email: user.email, content, error }));
  };
  const change =
    (act: (req: Request, actor: string, partnerId: string) => Promise<string | undefined>) =>
    async (req: Request, res: Response) => {
      const { user } = signedInOf(res);
      const { partnerId }: PartnerOfMember = res.locals.partner;
      try {
        const secret = await act(req, user.id, partnerId);
        if (secret === undefined) return res.redirect(303, `/partner/${partnerId}/keys`);
        const [keyId = '', value = ''] = secret.split(' ');
        const content = newSecret({ partnerId, keyId, secret: value });
        res.type('html').send(accountPage({ title: 'New key', email: user.email, content }));
      } catch (thrown) {
        await showKeys(res, refusalOf(thrown, res));
      }
    };
  const ownKey = async (req: Request, partnerId: string) => {
    const keyId = canonicalKeyId(String(formFields(req).key_id ?? ''));
    const found = await readCredential(runtime, keyId);
    if (found.partnerId !== partnerId) throw fail('not_found');
    return keyId;
  };

  router.get(keys, memberOf(runtime), (_req, res) => showKeys(res));
  const mayChange = [memberOf(runtime), changesKeys];
  router.post(
    keys,
    mayChange,
    change(async (req, actor, partnerId) => {
      const form = formFields(req);
      const environment = form.environment === 'LIVE' ? 'LIVE' : 'SANDBOX';
      const asked = [form.scope].flat();
      const scopes = SCOPES.filter((scope) => asked.includes(scope));
      const issued = await createCredential(runtime, actor, { partnerId, environment, scopes });
      return `${issued.keyId} ${issued.secret}`;
    }),
  );
  router.post(
    `${keys}/rotate`,
    mayChange,
    change(async (req, actor, partnerId) => {
      const keyId = await ownKey(req, partnerId);
      const rotation = await rotateCredential(runtime, actor, { keyId });
      return `${rotation.keyId} ${rotation.secret}`;
    }),
  );
  router.post(
    `${keys}/revoke`,
    mayChange,
    change(async (req, actor, partnerId) => {
      await revokeCredential(runtime, actor, await ownKey(req, partnerId));
      return undefined;
    }),
  );

  router.use(() => {
    throw fail('not_found');
  });
  router.use(
    errorPage({
      log: runtime.log,
      render: ({ title, text }) =>
        accountCard({
          title,
          content: html`<p>${text}</p><p class="other"><a href="/partner">Your partners</a></p>`,
        }),
    }),
  );
  return router;
}

/** Lets members of the partner in the path pass; to others there is no such partner. @throws not_found */
function memberOf(runtime: ApiServices): RequestHandler {
  return async (req, res, next) => {
    const partners = await listPartnersOf(runtime, signedInOf(res).user.id);
    const partner = partners.find(({ partnerId }) => partnerId === req.params.partner);
    if (!partner) throw fail('not_found');
    res.locals.partner = partner;
    next();
  };
}

/** @throws forbidden to members who may only look */
const changesKeys: RequestHandler = (_req, res, next) => {
  const { role }: PartnerOfMember = res.locals.partner;
  if (!KEY_ROLES.includes(role)) throw fail('forbidden');
  next();
};
