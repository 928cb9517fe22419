// Every page also works without this script. Never put a secret here.

/** Makes a screen reader say a text. The region must be in the page from the start. */
const region = document.querySelector('[data-says]');
const say = (text) => {
  if (region) region.textContent = text;
};

// The countdown of a quote. It starts from the remaining time that the server sent, so that a wrong clock in the
// browser does not matter.
const quote = document.querySelector('[data-quote]');
if (quote) {
  const whole = Number(quote.dataset.whole);
  const until = Date.now() + Number(quote.dataset.left);
  const digits = quote.querySelector('[data-digits]');
  const ring = quote.querySelector('[data-ring]');
  const [held, expired] = ['held', 'expired'].map((state) =>
    quote.querySelector(`[data-while="${state}"]`),
  );
  let saidAt;

  const tick = () => {
    const left = Math.max(0, until - Date.now());
    const seconds = Math.ceil(left / 1_000);
    digits.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    ring.setAttribute('stroke-dashoffset', String(100 - (100 * left) / whole));
    quote.classList.toggle('hurry', seconds <= 60);
    if (left === 0) return expire();
    // Once a minute, and only near the end: every second would drown out everything else.
    const minutes = Math.ceil(seconds / 60);
    if (minutes !== saidAt && (minutes === 5 || minutes === 1)) {
      say(`The price is valid for ${minutes === 1 ? 'one minute' : 'five minutes'} more.`);
    }
    saidAt = minutes;
    setTimeout(tick, 250);
  };

  const expire = () => {
    const focusWasHere = held.contains(document.activeElement);
    held.hidden = true;
    expired.hidden = false;
    say('This price has expired. You can get a new quote.');
    if (focusWasHere) expired.querySelector('button').focus();
  };
  if (!held.hidden) tick();
}

// Updates an order. EventSource reconnects by itself when the connection breaks.
const order = document.querySelector('[data-order]');
if (order) {
  const source = new EventSource(order.dataset.order);
  const lost = document.querySelector('[data-lost]');
  source.onopen = () => {
    lost.hidden = true;
  };
  source.onerror = () => {
    lost.hidden = false;
  };
  source.onmessage = ({ data }) => {
    const news = JSON.parse(data);
    if (news.steps > Number(order.dataset.steps)) {
      // Our own server built this and escaped every value.
      order.innerHTML = news.html;
      order.dataset.steps = news.steps;
      say(news.says);
    }
    if (!news.done) return;
    source.close();
    const play = document.querySelector('[data-until-done]');
    // Keep the focus if the focused element was replaced.
    if (play?.contains(document.activeElement)) document.querySelector('main').focus();
    play?.remove();
  };
  addEventListener('pagehide', () => source.close());
}

// Prevent double submits.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = 'yes';
    const { submitter } = event;
    submitter?.setAttribute('aria-disabled', 'true');
    if (submitter?.dataset.busy) submitter.textContent = submitter.dataset.busy;
  });
}

// Reload pages from the back-forward cache: prices, holds and orders may have changed.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
