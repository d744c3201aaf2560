import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark;--text:#1c2024;--soft:#5b6570;--line:#d5dae0;--back:#fff;--accent:#0b5cad;--wrong:#b3261e}
@media (prefers-color-scheme:dark){:root{--text:#e8eaed;--soft:#a4adb7;--line:#3a424b;--back:#14171a;--accent:#7db8f5;--wrong:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back)}
main{max-width:26rem;margin:12vh auto;padding:0 1.25rem}
h1{font-size:1.4rem;margin:0 0 .5rem}
p{margin:.5rem 0 1rem;color:var(--soft)}
label{display:block;margin:.9rem 0 .25rem;font-weight:600}
input{width:100%;padding:.55rem .7rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.4rem}
button{margin-top:1.25rem;padding:.55rem 1.1rem;font:inherit;font-weight:600;color:var(--back);background:var(--accent);border:0;border-radius:.4rem;cursor:pointer}
button:disabled{opacity:.6}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
#problem{color:var(--wrong)}
[hidden]{display:none}
`;

/** The token is in the fragment, which no server sees; it leaves the address bar as soon as it is read. */
const SCRIPT = `
'use strict';
const at = (id) => document.getElementById(id);
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const base = new URL('v1/management', document.baseURI).href;
async function post(path, body) {
  const answer = await fetch(base + path, {
    method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body), cache: 'no-store'
  });
  const text = await answer.text();
  const value = text === '' ? {} : JSON.parse(text);
  if (!answer.ok) throw new Error(value.error ? value.error.message : 'It did not work.');
  return value;
}
function tell(text) { at('about').textContent = text; }
function problem(error) { at('problem').textContent = error.message; at('problem').hidden = false; }
function done(text) { at('form').hidden = true; at('problem').hidden = true; at('title').textContent = 'Done'; tell(text); }
// Another link in the same tab does not load the page anew by itself.
addEventListener('hashchange', () => location.reload());
let link = null;
async function start() {
  const wrong = new URLSearchParams(location.search).get('error');
  if (wrong !== null) return tell('The sign-in did not work: ' + wrong.replace(/_/g, ' ') + '.');
  if (token === '') return tell('This page opens one-time links. Yours is missing its last part: open the whole link.');
  link = await post('/invitations/lookup', {token});
  const isReset = link.purpose === 'reset';
  at('title').textContent = isReset ? 'A new password' : 'Welcome to Switchyard';
  const what = link.account === null ? '' : ' You join the account ' + link.account + ' as ' + link.role + '.';
  tell(isReset ? 'For ' + link.email + '. All your sessions end.'
    : link.operator ? 'You become an operator of this gateway.' + what : 'Make your user.' + what);
  at('name-part').hidden = isReset;
  at('name').required = !isReset;
  at('email').value = link.email || '';
  at('email').readOnly = link.email !== null;
  at('form').hidden = false;
  (isReset ? at('password') : link.email === null ? at('email') : at('name')).focus();
}
at('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  at('problem').hidden = true;
  at('send').disabled = true;
  try {
    const password = at('password').value;
    if (password !== at('again').value) throw new Error('The two passwords are not the same.');
    if (link.purpose === 'reset') await post('/password-resets/accept', {token, password});
    else await post('/invitations/accept', {token, password, name: at('name').value, email: at('email').value});
    await post('/auth/sign-in/email', {email: at('email').value, password}).catch(() => null);
    done(link.purpose === 'reset' ? 'Your new password is set.' : 'Your user is made. You can sign in with it from now on.');
  } catch (error) { problem(error); }
  at('send').disabled = false;
});
start().catch((error) => { at('title').textContent = 'This link does not work'; tell(''); problem(error); });
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Where one-time links lead: `<address>/welcome#<token>`. */
export const WELCOME_PATH = '/welcome';

/**
 * The page on which a person accepts an invitation, or sets a new password.
 *
 * @param basePath below which a reverse proxy has the gateway, such as `/ai`; empty for none
 */
export function welcomePage(method: string, basePath: string): Response {
  if (method !== 'GET' && method !== 'HEAD')
    return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
  return new Response(method === 'HEAD' ? null : page(basePath), { headers: HEADERS });
}

function page(basePath: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<base href="${Bun.escapeHTML(basePath)}/"><title>Switchyard</title><style>${STYLE}</style></head>
<body><main><h1 id="title">Switchyard</h1><p id="about">One moment …</p>
<form id="form" hidden>
<div><label for="email">Email</label><input id="email" type="email" autocomplete="username" required maxlength="254"></div>
<div id="name-part"><label for="name">Name</label><input id="name" autocomplete="name" maxlength="200"></div>
<label for="password">Password, at least 10 characters</label>
<input id="password" type="password" autocomplete="new-password" minlength="10" maxlength="200" required>
<label for="again">The same again</label>
<input id="again" type="password" autocomplete="new-password" minlength="10" maxlength="200" required>
<button id="send">Continue</button></form>
<p id="problem" role="alert" hidden></p>
<noscript><p>This page needs JavaScript.</p></noscript></main><script>${SCRIPT}</script></body></html>
`;
}
