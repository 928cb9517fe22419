import { Type } from 'typebox';
import {
  type ClockReading,
  readClock,
} from '../../../../shared/operations/sandbox-clock/move-clock.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { clockFacts } from '../../kit/clock-parts.ts';
import { inputField } from '../../kit/form.ts';
import { descriptionList, link, notice, section } from '../../kit/page-parts.ts';
import { mayRun } from '../site-command.ts';
import { siteBase } from '../site-layout.ts';
import { type SiteContext, sitePage } from '../site-page.ts';

/** How often the page reloads while the clock is being moved, in seconds. */
const REFRESH_SECONDS = 1;

/** Shows the time in the partner's sandbox, with buttons for members who may move it. */
export const clockPage = sitePage({
  path: '/clock',
  time: 'own',
  input: Type.Object({}),
  async show(context) {
    const { owner } = context;
    const page = { title: 'Clock', section: 'clock' } as const;
    if (owner.environment === 'LIVE') return { ...page, content: liveNotice(owner.partnerId) };
    const reading = await readClock(context, owner.partnerId);
    const content = html`<p class="intro">Move your sandbox forward to make due work happen, in order: transfers arrive; quotes, offers and checkouts expire; settlement periods close; and payouts are paid. LIVE and other partners are not affected. A clock never goes back.</p>
${descriptionList(clockFacts(reading))}
${
  reading.advancing
    ? html`<p class="hint">This page updates itself until the clock is ready.</p>`
    : mayRun('clock-move', context) && section('Move forward', forms(context, reading))
}`;
    return reading.advancing
      ? { ...page, content, refreshSeconds: REFRESH_SECONDS }
      : { ...page, content };
  },
});

function liveNotice(partnerId: string): Markup {
  return notice({
    tone: 'neutral',
    content: html`<p>LIVE uses real time. ${link(`${siteBase(partnerId, 'SANDBOX')}/clock`, 'Open your sandbox clock')}.</p>`,
  });
}

const PRESETS = [
  ['1h', '+1 hour'],
  ['1d', '+1 day'],
  ['7d', '+7 days'],
] as const;

function forms({ base, refused }: SiteContext, { now, periodEndsAt }: ClockReading): Markup {
  const preset = (move: { by: string } | { to: string }, text: string) =>
    html`<form method="post" action="${base}/clock">${Object.entries(move).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<button type="submit">${text}</button></form>`;
  return html`<div class="inline">
${PRESETS.map(([by, text]) => preset({ by }, text))}
${preset({ to: periodEndsAt.toISOString() }, 'To the end of the settlement period')}
</div>
<form class="ask" method="post" action="${base}/clock">
${inputField({ name: 'to', label: 'Move to (UTC)', hint: `Such as ${now.toISOString().slice(0, 16)}Z. At most two years ahead.`, required: true, value: String(refused?.values.to ?? ''), describedBy: refused && 'error', attributes: { maxlength: 30, autocomplete: 'off', placeholder: `${now.toISOString().slice(0, 16)}Z` } })}
<p class="acts"><button class="primary" type="submit">Move</button></p>
</form>`;
}
