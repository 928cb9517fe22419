// Reads the status again every minute while the page is visible.
const INSTANT = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' };
const instants = new Intl.DateTimeFormat('en-US', INSTANT);
const wordsOf = (status) => document.querySelector(`#status-words [data-status="${status}"]`);

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch('/status.json').catch(() => undefined);
  if (!answer?.ok) return;
  const { status, areas, checked_at } = await answer.json();
  const { tone, overall } = wordsOf(status).dataset;
  const summary = document.getElementById('overall');
  summary.className = `notice ${tone}`;
  summary.textContent = overall;
  for (const { area, status: now } of areas) {
    const badge = document.querySelector(`[data-area="${area}"]`);
    if (!badge) continue;
    const words = wordsOf(now);
    badge.className = `badge ${words.dataset.tone}`;
    badge.replaceChildren(...words.cloneNode(true).childNodes);
  }
  const time = document.querySelector('#checked time');
  time.dateTime = checked_at;
  time.textContent = `${instants.format(new Date(checked_at))} UTC`;
}

setInterval(refresh, 60_000);
