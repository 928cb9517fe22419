// Copies code, opens the page list on a phone, and opens the search with the “/” key.
const said = document.createElement('p');
said.className = 'unseen';
said.setAttribute('role', 'status');
document.body.append(said);

for (const button of document.querySelectorAll('.copy')) {
  button.addEventListener('click', async () => {
    const code = button.closest('.code').querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
      said.textContent = 'Copied';
    } catch {
      // Without access to the clipboard, the reader copies the selected code.
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
      said.textContent = 'The code is selected. Copy it with the keyboard.';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
      said.textContent = '';
    }, 2_000);
  });
}

const menu = document.querySelector('.menu');
const pages = document.getElementById('pages');
menu?.addEventListener('click', () => {
  const open = pages.classList.toggle('open');
  menu.setAttribute('aria-expanded', String(open));
  if (open) pages.querySelector('a').focus();
});
pages?.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !pages.classList.contains('open')) return;
  pages.classList.remove('open');
  menu.setAttribute('aria-expanded', 'false');
  menu.focus();
});

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select, [contenteditable]')) return;
  event.preventDefault();
  const field = document.getElementById('search-words');
  if (field) field.select();
  else location.assign('/docs/search');
});
