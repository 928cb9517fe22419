// Convenience only: every page works without this file.

/** Groups a card's digits as they are printed on it. */
function formatNumber(text) {
  const digits = text.replace(/\D/g, '').slice(0, 19);
  return digits.replace(/(\d{4})(?=\d)/g, '$1 ');
}

/** Formats an expiry: `429` and `4/29` become `04/29`. */
function formatExpiry(text, deleting) {
  const [first = '', ...rest] = text.split('/');
  let month = first.replace(/\D/g, '');
  let year = rest.join('').replace(/\D/g, '');
  if (/^[2-9]/.test(month) || (rest.length > 0 && month.length === 1)) month = `0${month}`;
  if (month.length > 2) {
    year = month.slice(2) + year;
    month = month.slice(0, 2);
  }
  year = year.slice(0, 4);
  if (year === '' && (deleting || month.length < 2)) return month;
  return `${month}/${year}`;
}

/** Reformats a field while the user types, and keeps the cursor behind the same digit. */
function keepFormatted(input, format) {
  input.addEventListener('input', (event) => {
    const deleting = (event.inputType ?? '').startsWith('delete');
    const atEnd = input.selectionStart === input.value.length;
    const before = input.value.slice(0, input.selectionStart).replace(/\D/g, '').length;
    const next = format(input.value, deleting);
    if (next === input.value) return;
    input.value = next;
    if (atEnd) return;
    let place = 0;
    for (let digits = 0; place < next.length && digits < before; place += 1) {
      if (/\d/.test(next[place])) digits += 1;
    }
    input.setSelectionRange(place, place);
  });
}

for (const input of document.querySelectorAll('[data-format]')) {
  keepFormatted(input, input.dataset.format === 'number' ? formatNumber : formatExpiry);
}

const PATIENCE_MS = 20_000;

/** Ignores a second press. The server also accepts only one payment for two presses. */
for (const form of document.querySelectorAll('[data-pay]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = 'yes';
    const pressed = event.submitter;
    for (const button of form.querySelectorAll('button'))
      button.setAttribute('aria-disabled', 'true');
    const label = pressed?.textContent;
    if (pressed?.dataset.busy) pressed.textContent = pressed.dataset.busy;
    // A response that never arrives, or that the buyer stopped, must not leave the page unusable.
    setTimeout(() => {
      delete form.dataset.sent;
      for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-disabled');
      if (pressed) pressed.textContent = label;
    }, PATIENCE_MS);
  });
}

// A page restored by the back button may be outdated: ask the server for the current state.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

/** Counts down by elapsed time here, so that a wrong clock does no harm. */
const timer = document.querySelector('[data-left]');
if (timer) {
  const until = performance.now() + Number(timer.dataset.left) * 1_000;
  const unit = (count, name) => `${count} ${name}${count === 1 ? '' : 's'}`;
  const show = () => {
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1_000));
    const [days, hours] = [Math.floor(left / 86_400), Math.floor((left % 86_400) / 3_600)];
    const [minutes, seconds] = [Math.floor((left % 3_600) / 60), left % 60];
    if (left === 0) location.reload();
    else if (days > 0)
      timer.textContent = [unit(days, 'day'), hours && unit(hours, 'hour')]
        .filter(Boolean)
        .join(' ');
    else {
      const digits = [hours, minutes, seconds].map((part) => String(part).padStart(2, '0'));
      timer.textContent = digits.join(':');
    }
    if (left > 0) setTimeout(show, days > 0 ? 60_000 : 1_000);
  };
  show();
}

// Some browsers support `autofocus` only on fields.
document.querySelector('#problems')?.focus();
