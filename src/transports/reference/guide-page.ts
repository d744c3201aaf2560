import { createHash } from 'node:crypto';
import { COLOURS, documentHead, PAGE_HEADERS, SITE_STYLE, type Site, siteHeader } from './site.ts';

/** A guide in Markdown; its first line is the title. */
export interface Guide {
  /** The last segment of its address: `/docs/guides/<name>`. */
  readonly name: string;
  readonly markdown: string;
}

/** In the order in which readers choose from them. */
const LANGUAGES = [
  { fence: 'sh', id: 'curl', label: 'curl' },
  { fence: 'python', id: 'python', label: 'Python' },
  { fence: 'ts', id: 'typescript', label: 'TypeScript' },
] as const;

/** Style rules that hide the other languages; a browser without `:has` shows all of them. */
const CHOICE = LANGUAGES.flatMap(({ id }) =>
  LANGUAGES.filter((other) => other.id !== id).map((other) => `main:has(#in-${id}:checked) .${other.id}`),
).join(',');

const STYLE = `${COLOURS}
${SITE_STYLE}
.page{display:flex;max-width:76rem;margin:0 auto;padding:0 1.25rem;gap:3rem}
.list{flex:0 0 11rem;padding:2rem 0;font-size:15px}.list ul{list-style:none;margin:0;padding:0;position:sticky;top:2rem}
.list a{display:block;padding:.3rem 0;color:var(--soft);text-decoration:none}.list a:hover{text-decoration:underline}.list a[aria-current]{color:var(--text);font-weight:600}
main{flex:1 1 auto;min-width:0;max-width:56rem;padding:1rem 0 5rem}main p,main ul{max-width:48rem}main a{color:var(--accent)}
h1{font-size:1.9rem;line-height:1.25}h2{font-size:1.3rem;margin-top:2.2em}h1 a,h2 a,h3 a{color:inherit!important;text-decoration:none}
code{font:.875em/1.5 ui-monospace,monospace;overflow-wrap:anywhere;background:var(--panel);border-radius:4px;padding:.1em .3em}
pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;overflow-x:auto}pre code{background:none;padding:0;overflow-wrap:normal}
figure{margin:1rem 0}figure pre{margin:0}figcaption{font-size:13px;color:var(--soft);padding:0 0 .25rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:15px}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line)}
fieldset{border:0;margin:1rem 0;padding:0;display:flex;flex-wrap:wrap;gap:0 1.25rem;font-size:15px}legend{float:left;color:var(--soft);margin-right:.5rem;padding:0}label{white-space:nowrap}
@supports selector(:has(a)){@media screen{${CHOICE}{display:none}}}
@media (max-width:50rem){.page{display:block}.list{padding:1rem 0 0}.list ul{display:flex;flex-wrap:wrap;column-gap:1.25rem}}`;

const MARKDOWN = { headings: { ids: true }, noHtmlBlocks: true, noHtmlSpans: true } as const;

/** The page runs no scripts, loads nothing, and cannot be framed. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const GUIDE_HEADERS = { ...PAGE_HEADERS, 'content-security-policy': POLICY };

export function titleOf({ markdown }: Guide): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? '';
}

/** Renders a guide, or the list of all if `guide` is `null`. */
export function guidePage(name: string, guides: readonly Guide[], guide: Guide | null): string {
  const root = guide === null ? '../' : '../../';
  const title = guide === null ? 'Guides' : titleOf(guide);
  const content = guide === null ? overview(guides) : contentOf(guide);
  return layout({ name, root, title, list: listOf(guides, guide), content });
}

/** Renders the page for an unknown address under `/docs`. */
export function missingPage({ name, root }: Site): string {
  const content = `<h1>Page not found</h1><p>See the <a href="${root}docs/guides">guides</a> or the <a href="${root}docs">API reference</a>.</p>`;
  return layout({ name, root, title: 'Page not found', list: '', content });
}

interface Layout extends Site {
  readonly title: string;
  readonly list: string;
  readonly content: string;
}

function layout({ name, root, title, list, content }: Layout): string {
  return `${documentHead(`${title} · ${name}`, STYLE)}
<body>${siteHeader({ name, root }, 'guides')}
<div class="page">${list}<main>${content}</main></div>
</body></html>
`;
}

function listOf(guides: readonly Guide[], current: Guide | null): string {
  const items = guides.map((guide) => {
    const href = current === null ? `guides/${guide.name}` : guide.name;
    const mark = guide === current ? ' aria-current="page"' : '';
    return `<li><a href="${href}"${mark}>${Bun.escapeHTML(titleOf(guide))}</a></li>`;
  });
  return `<nav class="list" aria-label="Guides"><ul>${items.join('')}</ul></nav>`;
}

function overview(guides: readonly Guide[]): string {
  const items = guides.map((guide) => {
    const first = guide.markdown.split('\n\n')[1] ?? '';
    return `<h2><a href="guides/${guide.name}">${Bun.escapeHTML(titleOf(guide))}</a></h2>${Bun.markdown.html(first, MARKDOWN)}`;
  });
  return `<h1>Guides</h1><p>You need a running gateway and a key from its operator. Each example works as written, in curl, Python and TypeScript.</p>${items.join('')}`;
}

function contentOf({ markdown }: Guide): string {
  const html = Bun.markdown.html(markdown.replaceAll(/<!--[\s\S]*?-->\n?/g, ''), MARKDOWN);
  const withLinks = html.replaceAll(/href="([\w-]+)\.md(#[\w-]+)?"/g, 'href="$1$2"');
  const withTables = withLinks
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  const withCode = LANGUAGES.reduce(captioned, withTables.replaceAll('<pre>', '<pre tabindex="0">'));
  return withCode === withTables ? withCode : withCode.replace('</h1>', `</h1>${CHOOSER}`);
}

function captioned(html: string, { fence, id, label }: (typeof LANGUAGES)[number]): string {
  const block = new RegExp(`<pre tabindex="0"><code class="language-${fence}">[\\s\\S]*?</pre>`, 'g');
  return html.replaceAll(block, (code) => `<figure class="${id}"><figcaption>${label}</figcaption>${code}</figure>`);
}

const CHOOSER = `<fieldset><legend>Examples in</legend>${LANGUAGES.map(
  ({ id, label }, index) =>
    `<label><input type="radio" name="language" id="in-${id}"${index === 0 ? ' checked' : ''}> ${label}</label>`,
).join('')}</fieldset>`;
