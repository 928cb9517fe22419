// Closes the sign-in popup, and sends the result to the page that opened it.
const answer = Object.fromEntries(new URLSearchParams(location.search));
window.opener?.postMessage({ oauth: answer }, location.origin);
window.close();
