// Ends the popup in which a reader signed in: tells the page that opened it what came back.
const answer = Object.fromEntries(new URLSearchParams(location.search));
window.opener?.postMessage({ oauth: answer }, location.origin);
window.close();
