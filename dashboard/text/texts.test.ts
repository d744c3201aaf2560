import { expect, test } from 'bun:test';

/* Every text must exist in both languages, and none may be left in English. */

/** Names of products and formats, which are the same in Chinese; so are all texts under `names`. */
const SAME = new Set([
  'Anthropic Messages',
  'Gemini',
  'OpenAI Responses',
  'PostgreSQL',
  'Redis',
  'SQLite',
  'Webhook',
  'p50',
  'p95',
  'p99',
]);

interface Leaf {
  readonly at: string;
  readonly en: unknown;
  readonly zh: unknown;
}

/** Matches words but not abbreviations such as `JSON` and `ID`, which are the same everywhere. */
const LATIN_WORD = /[A-Za-z]?[a-z]+/;
const CHINESE = /\p{Script=Han}/u;
/** Matches ASCII punctuation beside Chinese text, which has its own full-width signs. */
const NARROW_SIGN = /\p{Script=Han}[,:;?!]|[,;?!]\p{Script=Han}/u;

async function leaves(): Promise<readonly Leaf[]> {
  const found: Leaf[] = [];
  for (const file of [...new Bun.Glob('*.ts').scanSync({ cwd: import.meta.dir })].sort()) {
    if (file.endsWith('.test.ts')) continue;
    for (const [name, texts] of Object.entries<unknown>(await import(`./${file}`))) {
      if (isBranch(texts) && 'en' in texts && 'zh' in texts) collect(`${file} ${name}`, texts.en, texts.zh, found);
    }
  }
  return found;
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function collect(at: string, en: unknown, zh: unknown, into: Leaf[]): void {
  if (!isBranch(en) || !isBranch(zh)) {
    into.push({ at, en, zh });
    return;
  }
  for (const name of new Set([...Object.keys(en), ...Object.keys(zh)])) {
    collect(`${at}.${name}`, en[name], zh[name], into);
  }
}

/** Returns the words of a text; for a function, those in its source, without inserted values. */
function saidBy(text: unknown): string {
  if (typeof text !== 'function') return String(text);
  const source = String(text).replace(/\\u([\dA-F]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [...source.matchAll(/`[^`]*`|'[^']*'|"[^"]*"/g)]
    .map(([quoted]) => quoted.replace(/\$\{[^}]*\}/g, ''))
    .join('\n');
}

test('both languages have the same texts, and functions that take the same', async () => {
  const all = await leaves();
  expect(all.length).toBeGreaterThan(500);
  const differ = all.filter(
    ({ en, zh }) =>
      typeof en !== typeof zh ||
      (typeof en === 'string' && (en.trim() === '') !== (String(zh).trim() === '')) ||
      (typeof en === 'function' && typeof zh === 'function' && en.length !== zh.length),
  );
  expect(differ.map(({ at }) => at)).toEqual([]);
});

test('no English is left in the Chinese texts, and no Chinese in the English ones', async () => {
  const all = await leaves();
  const english = all.filter(
    ({ at, en, zh }) =>
      typeof zh === 'string' &&
      en === zh &&
      !at.includes('.names.') &&
      LATIN_WORD.test(zh) &&
      !CHINESE.test(zh) &&
      !SAME.has(zh),
  );
  expect(english.map(({ at, zh }) => `${at}: ${String(zh)}`)).toEqual([]);
  expect(all.filter(({ en }) => CHINESE.test(saidBy(en))).map(({ at }) => at)).toEqual([]);
  const without = all.filter(
    ({ zh }) => typeof zh === 'function' && LATIN_WORD.test(saidBy(zh)) && !CHINESE.test(saidBy(zh)),
  );
  expect(without.map(({ at, zh }) => `${at}: ${saidBy(zh)}`)).toEqual([]);
  const narrow = all.filter(({ zh }) => NARROW_SIGN.test(saidBy(zh)));
  expect(narrow.map(({ at, zh }) => `${at}: ${saidBy(zh)}`)).toEqual([]);
});

test('every entry of the list of identical texts is used', async () => {
  const used = new Set((await leaves()).map(({ zh }) => zh));
  expect([...SAME].filter((one) => !used.has(one))).toEqual([]);
});
