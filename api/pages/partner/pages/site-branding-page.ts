import { Type } from 'typebox';
import { type Brand, readBrand } from '../../../../shared/messaging/mail/mail-settings.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { formatMoney, Money } from '../../../../shared/platform/money.ts';
import { brandLinks, brandMark } from '../../kit/brand-parts.ts';
import { inputField } from '../../kit/form.ts';
import { descriptionList, section } from '../../kit/page-parts.ts';
import { mayRun } from '../site-command.ts';
import { type SiteContext, sitePage } from '../site-page.ts';

/** Shows the partner's branding as buyers see it, with the form for members who may change it. */
export const brandingPage = sitePage({
  path: '/branding',
  time: 'real',
  input: Type.Object({}),
  async show(context) {
    const { owner, partner } = context;
    const brand = await readBrand(context, owner.partnerId);
    return {
      title: 'Branding',
      section: 'branding',
      brand,
      content: html`<p class="intro">Buyers see this on your checkout pages, receipts and brokerage pages, and in our emails to them, in SANDBOX and LIVE.</p>
${section('Preview', preview(brand, brand.displayName ?? partner.name))}
${mayRun('brand-change', context) ? section('Settings', brandForm(context, brand)) : settings(brand)}`,
    };
  },
});

function preview(brand: Brand, name: string): Markup {
  const price = formatMoney(new Money(153_500, 'USD'));
  return html`<div class="preview branded">
<p class="brand">${brandMark({ brand, name })}</p>
<p class="sample">quiet-harbor.com</p>
<p>${price}</p>
<p><span class="button primary">Pay ${price}</span></p>
${brandLinks({ brand, name })}
</div>`;
}

function settings(brand: Brand): Markup {
  return descriptionList([
    ['Name', brand.displayName],
    ['Color', brand.accentColor],
    ['Logo', brand.logoUrl],
    ['Help', brand.supportUrl],
    ['Support address', brand.supportEmail],
    ['Terms', brand.termsUrl],
  ]);
}

function brandForm({ base, refused, partner }: SiteContext, brand: Brand): Markup {
  const typed = refused?.values;
  const value = (name: string, known: string | null) => String(typed?.[name] ?? known ?? '');
  const describedBy = typed && 'error';
  const link = { type: 'url', optional: true, attributes: { maxlength: 500 } };
  return html`<form class="ask" method="post" action="${base}/branding">
${inputField({ name: 'display_name', label: 'Name', hint: `What your buyers call you. Empty for ${partner.name}.`, optional: true, value: value('display_name', brand.displayName), describedBy, attributes: { maxlength: 60, autocomplete: 'organization' } })}
${inputField({ name: 'accent_color', label: 'Color of buttons', hint: 'Such as #0b6e4f. Their text is black or white, whichever is easier to read.', optional: true, value: value('accent_color', brand.accentColor), attributes: { maxlength: 7, autocomplete: 'off' } })}
${inputField({ ...link, name: 'logo_url', label: 'Logo', hint: 'The https address of an image, shown 32 pixels high.', value: value('logo_url', brand.logoUrl) })}
${inputField({ ...link, name: 'support_url', label: 'Help page', value: value('support_url', brand.supportUrl) })}
${inputField({ name: 'support_email', label: 'Support address', type: 'email', hint: 'Buyers’ replies to our emails go there.', optional: true, value: value('support_email', brand.supportEmail), attributes: { maxlength: 254 } })}
${inputField({ ...link, name: 'terms_url', label: 'Terms', value: value('terms_url', brand.termsUrl) })}
<p class="acts"><button class="primary" type="submit">Save</button></p>
</form>`;
}
