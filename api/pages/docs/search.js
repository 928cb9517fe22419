// Shows search results while the reader types. They are the results of the page that the form leads to.
const form = document.getElementById('search');
const field = document.getElementById('search-words');
/** The delay after the last key, in milliseconds. */
const PAUSE = 150;
let waiting;
let asked;

async function refresh() {
  asked?.abort();
  asked = new AbortController();
  const path = `${form.action}?${new URLSearchParams({ q: field.value })}`;
  const answer = await fetch(path, { signal: asked.signal }).catch(() => undefined);
  if (!answer?.ok) return;
  const text = await answer.text().catch(() => undefined);
  if (text === undefined) return;
  const page = new DOMParser().parseFromString(text, 'text/html');
  for (const id of ['found', 'results']) {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  }
  document.title = page.title;
  history.replaceState(null, '', path);
}

field.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, PAUSE);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  refresh();
});
