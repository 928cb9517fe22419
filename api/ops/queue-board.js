// Makes the queue dashboard accessible to screen readers: names its icon buttons, and gives the page a heading.

const NAMES = {
  clock: 'Reschedule',
  'corner-up-left': 'Promote',
  'ellipsis-vertical': 'More actions',
  files: 'Duplicate',
  maximize: 'Full screen',
  minimize: 'Leave full screen',
  pencil: 'Edit',
  'rotate-cw': 'Retry',
  'trash-2': 'Remove',
};

function nameOf(button) {
  const icon = button.querySelector('svg');
  const own = [...(icon?.classList ?? [])].filter((name) => name.startsWith('lucide-'));
  if (own.length === 0) return 'Redis details';
  const names = own.map((name) => name.slice('lucide-'.length));
  const known = names.find((name) => name in NAMES);
  if (known) return NAMES[known];
  const text = names[0].replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function nameButtons() {
  for (const button of document.querySelectorAll('button:not([aria-label], [aria-labelledby])')) {
    if (button.textContent.trim() === '' || button.querySelector('svg > style')) {
      button.setAttribute('aria-label', nameOf(button));
    }
  }
  const filter = document.getElementById('search-queues');
  if (filter && !filter.hasAttribute('aria-label'))
    filter.setAttribute('aria-label', 'Filter queues');
}

/** A queue's page has its name as a heading; on other pages the title, a link, becomes the first one. */
function markTitle() {
  const title = document.querySelector('header > a > span');
  if (!title) return;
  if (document.querySelector('h1')) title.removeAttribute('role');
  else title.setAttribute('role', 'heading');
  title.setAttribute('aria-level', '1');
}

function describePage() {
  nameButtons();
  markTitle();
}

new MutationObserver(describePage).observe(document.body, { childList: true, subtree: true });
describePage();
