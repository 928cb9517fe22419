// Gives the buttons of the queue dashboard that are only an icon a name, for those who hear the page.

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

new MutationObserver(nameButtons).observe(document.body, { childList: true, subtree: true });
nameButtons();
