// Follows a job: counts and bar as they move, and the page anew when the job is over.
const area = document.querySelector('[data-stream]');

if (area) {
  const source = new EventSource(area.dataset.stream);
  const show = (name, count) => {
    area.querySelector(`[data-count="${name}"]`).textContent = count.toLocaleString('en-US');
  };
  source.addEventListener('progress', ({ data }) => {
    const { succeeded, failed } = JSON.parse(data);
    area.querySelector('progress').value = succeeded + failed;
    show('succeeded', succeeded);
    show('failed', failed);
  });
  source.addEventListener('done', () => {
    source.close();
    location.reload();
  });
}
