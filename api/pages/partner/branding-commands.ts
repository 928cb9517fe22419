import { Type } from 'typebox';
import { changeBrand } from '../../../shared/people/partners/change-mail-settings.ts';
import { brandingPage } from './pages/site-branding-page.ts';
import { type SiteCommand, siteCommand } from './site-command.ts';

const Link = Type.Optional(Type.String({ maxLength: 500 }));

/** Empty fields reset their settings. */
const change = siteCommand({
  name: 'brand-change',
  path: '/branding',
  input: Type.Object({
    display_name: Type.Optional(Type.String({ maxLength: 60 })),
    accent_color: Type.Optional(Type.String({ maxLength: 7 })),
    logo_url: Link,
    support_url: Link,
    support_email: Type.Optional(Type.String({ maxLength: 254 })),
    terms_url: Link,
  }),
  page: brandingPage,
  async run(context, given) {
    await changeBrand(context, context.user.id, {
      partnerId: context.owner.partnerId,
      displayName: given.display_name?.trim() || null,
      accentColor: given.accent_color ?? null,
      logoUrl: given.logo_url ?? null,
      supportUrl: given.support_url ?? null,
      supportEmail: given.support_email ?? null,
      termsUrl: given.terms_url ?? null,
    });
    return { to: `${context.base}/branding`, done: 'The branding is saved.' };
  },
});

/** The commands on a partner's branding for buyers. */
export const brandingCommands: readonly SiteCommand[] = [change];
