// Reads the status again once a minute while the page is looked at.
const table = document.getElementById('areas');

async function refresh() {
  if (document.hidden) return;
  const answer = await fetch('/status.json').catch(() => undefined);
  if (!answer?.ok) return;
  const { status, areas, checked_at } = await answer.json();
  const overall = document.getElementById('overall');
  overall.className = `overall ${status}`;
  overall.textContent = overall.dataset[status];
  for (const { area, status: word } of areas) {
    const cell = table.querySelector(`[data-area="${area}"]`);
    if (!cell) continue;
    cell.className = word;
    cell.textContent = table.dataset[word];
  }
  const time = document.getElementById('checked');
  time.dateTime = checked_at;
  time.textContent = checked_at;
}

setInterval(refresh, 60_000);
