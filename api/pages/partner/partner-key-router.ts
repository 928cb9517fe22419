import { type Request, type Response, Router } from 'express';
import type { PartnerOfMember } from '../../../shared/people/members/manage-members.ts';
import {
  canonicalKeyId,
  type IssuedKeyPair,
  MAX_KEY_DAYS,
  SCOPES,
} from '../../../shared/people/partners/credential.ts';
import {
  changeCredential,
  createCredential,
  revokeCredential,
  rotateCredential,
} from '../../../shared/people/partners/credential-lifecycle.ts';
import {
  readCredential,
  readCredentials,
} from '../../../shared/people/partners/read-credentials.ts';
import { fail } from '../../../shared/platform/errors.ts';
import type { Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signedInOf } from '../account/account-session.ts';
import { refusalOf } from '../account/form-refusal.ts';
import { realPageNow } from '../kit/page-time.ts';
import { admitTo } from './admit-command.ts';
import { countMemberRequest } from './count-member-request.ts';
import { keyList, keyPage, newSecret, OVERLAPS } from './partner-key-pages.ts';
import { mayRun } from './site-command.ts';
import { siteDocument } from './site-layout.ts';

/** Serves the API key pages, for members of the partner in `res.locals.partner`. */
export function partnerKeyRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true });
  const partnerOf = (res: Response): PartnerOfMember => res.locals.partner;

  const show = (res: Response, title: string, content: Markup, error?: string) => {
    const frame = { partner: partnerOf(res), environment: null, section: 'keys' } as const;
    const { email } = signedInOf(res).user;
    res.type('html').send(siteDocument({ ...frame, title, email, content, error }));
  };
  const showKeys = async (res: Response, error?: string) => {
    const partner = partnerOf(res);
    const { partnerId } = partner;
    const credentials = await readCredentials(runtime, partnerId);
    const may = mayRun('key-create', { partner });
    const content = keyList({ partnerId, credentials, may, now: realPageNow(runtime) });
    show(res, 'API keys', content, error);
  };
  const ownKey = async (req: Request, res: Response) => {
    const found = await readCredential(runtime, canonicalKeyId(String(req.params.key)));
    if (found.partnerId !== partnerOf(res).partnerId) throw fail('not_found');
    return found;
  };
  const showKey = async (req: Request, res: Response, error?: string) => {
    const key = await ownKey(req, res);
    const may = mayRun('key-change', { partner: partnerOf(res) });
    const content = keyPage({ key, may, now: realPageNow(runtime) });
    show(res, key.name ?? 'API key', content, error);
  };
  const showSecret = (res: Response, issued: IssuedKeyPair) => {
    show(res, 'New key', newSecret(issued));
  };

  const counted = countMemberRequest(runtime);
  const spared = countMemberRequest(runtime, { sparesPartner: true });
  router.get('/', spared, (_req, res) => showKeys(res));
  router.get('/:key', spared, (req, res) => showKey(req, res));

  const allKeys = ({ baseUrl }: Request) => baseUrl;
  router.post('/', counted, admitTo(runtime, 'key-create', allKeys), async (req, res) => {
    const form = formFields(req);
    const days = Number(form.expires);
    try {
      const issued = await createCredential(runtime, signedInOf(res).user.id, {
        partnerId: partnerOf(res).partnerId,
        environment: form.environment === 'LIVE' ? 'LIVE' : 'SANDBOX',
        ...termsIn(form),
        expiresInDays: days >= 1 && days <= MAX_KEY_DAYS ? Math.floor(days) : undefined,
      });
      showSecret(res, issued);
    } catch (thrown) {
      await showKeys(res, refusalOf(thrown, res));
    }
  });

  const oneKey = ({ baseUrl, params }: Request) => `${baseUrl}/${params.key}`;
  /** Handles a change of one key; a refusal is shown above that key's page. */
  const change =
    (act: (req: Request, res: Response, keyId: string, actor: string) => Promise<void>) =>
    async (req: Request, res: Response) => {
      const { keyId } = await ownKey(req, res);
      try {
        await act(req, res, keyId, signedInOf(res).user.id);
      } catch (thrown) {
        await showKey(req, res, refusalOf(thrown, res));
      }
    };
  router.post(
    '/:key/change',
    counted,
    admitTo(runtime, 'key-change', oneKey),
    change(async (req, res, keyId, actor) => {
      await changeCredential(runtime, actor, { keyId, ...termsIn(formFields(req)) });
      res.redirect(303, req.originalUrl.replace(/\/change$/, ''));
    }),
  );
  router.post(
    '/:key/rotate',
    counted,
    admitTo(runtime, 'key-rotate', oneKey),
    change(async (req, res, keyId, actor) => {
      const asked = Number(formFields(req).overlap);
      const overlapHours = OVERLAPS.find(({ hours }) => hours === asked)?.hours;
      showSecret(res, await rotateCredential(runtime, actor, { keyId, overlapHours }));
    }),
  );
  router.post(
    '/:key/revoke',
    spared,
    admitTo(runtime, 'key-revoke', oneKey),
    change(async (_req, res, keyId, actor) => {
      await revokeCredential(runtime, actor, keyId);
      res.redirect(303, `/partner/${partnerOf(res).partnerId}/keys`);
    }),
  );
  return router;
}

/** Reads the terms of a key from a form. */
function termsIn(form: Record<string, unknown>) {
  const asked = [form.scope].flat();
  return {
    name: String(form.name ?? ''),
    scopes: SCOPES.filter((scope) => asked.includes(scope)),
    allowedIps: String(form.allowed_ips ?? '')
      .split(/[\s,]+/)
      .filter((text) => text !== ''),
  };
}
