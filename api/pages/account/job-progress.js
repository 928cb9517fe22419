// Follows a job: updates counts and bar, where they are shown, and reloads the page when the job is finished.
const area = document.querySelector('[data-stream]');

if (area) {
  const source = new EventSource(area.dataset.stream);
  const show = (name, count) => {
    const place = area.querySelector(`[data-count="${name}"]`);
    if (place) place.textContent = count.toLocaleString('en-US');
  };
  source.addEventListener('progress', ({ data }) => {
    const { succeeded, failed } = JSON.parse(data);
    const bar = area.querySelector('progress');
    if (bar) bar.value = succeeded + failed;
    show('succeeded', succeeded);
    show('failed', failed);
  });
  source.addEventListener('done', () => {
    source.close();
    location.reload();
  });
}
