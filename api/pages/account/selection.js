// Selects all rows of the page at once, and shows how many are selected.
const form = document.querySelector('.chooser');
const boxes = form ? [...form.querySelectorAll('input[name="domain"]')] : [];

if (boxes.length > 0) {
  const label = document.createElement('label');
  label.className = 'choice select-all';
  const all = document.createElement('input');
  all.type = 'checkbox';
  const count = document.createElement('span');
  label.append(all, count);
  form.prepend(label);
  const tell = () => {
    const chosen = boxes.filter(({ checked }) => checked).length;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
    count.textContent =
      chosen === 0
        ? 'Select all on this page'
        : `${chosen} of ${boxes.length} on this page selected`;
  };
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    tell();
  });
  for (const box of boxes) box.addEventListener('change', tell);
  tell();
}
