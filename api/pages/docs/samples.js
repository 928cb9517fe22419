// Turns code samples into tabs, one per language. The chosen language applies to every page.
const KEY = 'docs-language';

const groups = [...document.querySelectorAll('.samples:has(h3)')].map((group) => {
  const panels = [...group.querySelectorAll('.sample')];
  const tabs = panels.map(makeTab);
  const list = document.createElement('div');
  list.className = 'tabs';
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  list.append(...tabs);
  list.addEventListener('click', ({ target }) => {
    const at = tabs.indexOf(target);
    if (at !== -1) choose(panels[at].dataset.language);
  });
  list.addEventListener('keydown', (event) => {
    const at = nextTab(event.key, tabs.indexOf(event.target), tabs.length);
    if (at === undefined) return;
    event.preventDefault();
    choose(panels[at].dataset.language);
    tabs[at].focus();
  });
  group.prepend(list);
  return { panels, tabs };
});

function makeTab(panel) {
  const heading = panel.querySelector('h3');
  const tab = document.createElement('button');
  tab.type = 'button';
  tab.id = `tab-${panel.id}`;
  tab.textContent = heading.textContent;
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', panel.id);
  heading.hidden = true;
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', tab.id);
  return tab;
}

function nextTab(key, at, count) {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}

/** Shows a language. A group without it keeps its current tab, at first its first one. */
function show(language) {
  for (const { panels, tabs } of groups) {
    const wanted = panels.findIndex((panel) => panel.dataset.language === language);
    const current = tabs.findIndex((tab) => tab.ariaSelected === 'true');
    const chosen = wanted !== -1 ? wanted : Math.max(current, 0);
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute('aria-selected', String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
      panels[at].hidden = at !== chosen;
    }
  }
}

function choose(language) {
  show(language);
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // If storage is blocked, the choice applies to this page only.
  }
}

function showStored() {
  let language;
  try {
    language = localStorage.getItem(KEY);
  } catch {
    // Storage is blocked.
  }
  show(language);
}

/** Shows the sample that the URL names, and returns it. */
function showLinked() {
  const samples = groups.flatMap(({ panels }) => panels);
  const linked = samples.find(({ id }) => `#${id}` === location.hash);
  if (linked) show(linked.dataset.language);
  return linked;
}

showStored();
showLinked();
addEventListener('hashchange', () => showLinked()?.scrollIntoView());
// A page from the back/forward cache may be older than the choice.
addEventListener('pageshow', ({ persisted }) => persisted && showStored());
