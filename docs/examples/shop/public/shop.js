// Comfort only: every page works without this file. No secret is here, and none may ever be.

/** What a screen reader says; the region is in the page from the start, else it would not be heard. */
const region = document.querySelector('[data-says]');
const say = (text) => {
  if (region) region.textContent = text;
};

// The countdown of a quote. It counts from what the server said was left, so that a wrong clock of this
// machine does no harm.
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
    // Once a minute in words, and only near the end: every second would drown out everything else.
    const minutes = Math.ceil(seconds / 60);
    if (minutes !== saidAt && (minutes === 5 || minutes === 1)) {
      say(`The price stands for ${minutes === 1 ? 'one minute' : 'five minutes'} more.`);
    }
    saidAt = minutes;
    setTimeout(tick, 250);
  };

  const expire = () => {
    const focusWasHere = held.contains(document.activeElement);
    held.hidden = true;
    expired.hidden = false;
    say('This price has run out. You can get a new quote.');
    if (focusWasHere) expired.querySelector('button').focus();
  };
  if (!held.hidden) tick();
}

// An order that goes on by itself. EventSource connects again whenever the connection breaks.
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
      // Made by our own server, where everything in it was escaped.
      order.innerHTML = news.html;
      order.dataset.steps = news.steps;
      say(news.says);
    }
    if (!news.done) return;
    source.close();
    const play = document.querySelector('[data-until-done]');
    // The focus must not fall out of the page with what held it.
    if (play?.contains(document.activeElement)) document.querySelector('main').focus();
    play?.remove();
  };
  addEventListener('pagehide', () => source.close());
}

// One press is enough.
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = 'yes';
    const { submitter } = event;
    submitter?.setAttribute('aria-disabled', 'true');
    if (submitter?.dataset.busy) submitter.textContent = submitter.dataset.busy;
  });
}

// A page out of the back button's memory is old: prices, holds and orders have gone on.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});
