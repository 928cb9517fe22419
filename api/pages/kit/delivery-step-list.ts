import { html, type Markup } from '../../../shared/platform/html.ts';
import type {
  DeliveryReader,
  DeliveryStep,
} from '../../../shared/sales/transfers/delivery-steps.ts';
import { instant, relativeTime } from './format.ts';
import { icon } from './icon.ts';
import type { PageNow } from './page-time.ts';

const ICONS = {
  done: 'circle-check',
  now: 'clock',
  later: 'circle-dot',
  stopped: 'circle-x',
} as const;
const STATES = { done: 'Done', now: 'Now', later: 'Later', stopped: 'Stopped' } as const;
/** Buyers know the partner as the seller. */
const TURNS = {
  buyer: { buyer: 'Your turn', partner: 'The seller’s turn' },
  partner: { buyer: 'The buyer’s turn', partner: 'Your turn' },
  staff: { buyer: 'The buyer’s turn', partner: 'The partner’s turn', staff: 'Your turn' },
} as const satisfies Record<DeliveryReader, Partial<Record<DeliveryReader, string>>>;

function turnOf(turn: NonNullable<DeliveryStep['turn']>, reader: DeliveryReader): string {
  if (turn === 'registry') return 'The registry’s turn';
  const words: Partial<Record<DeliveryReader, string>> = TURNS[reader];
  return words[turn] ?? 'Our turn';
}

/** Lists the steps of a delivery, with whose turn it is. `extra` is shown below a step. */
export function deliveryStepList(
  steps: readonly DeliveryStep[],
  now: PageNow,
  reader: DeliveryReader,
  extra: (step: DeliveryStep) => Markup | false = () => false,
): Markup {
  return html`<ol class="delivery-steps">${steps.map((step) => {
    const { state, title, at, turn, text } = step;
    return html`<li class="${state}"${state === 'now' && html` aria-current="step"`}>${icon(ICONS[state])}<div><strong>${title}</strong><span class="unseen">: ${STATES[state]}</span>${
      turn && html` <span class="turn">${turnOf(turn, reader)}</span>`
    }${at && html` <span class="age">${instant(at)}, ${relativeTime(at, now)}</span>`}${text && html`<p>${text}</p>`}${extra(step)}</div></li>\n`;
  })}</ol>`;
}
