import { describe, expect, test } from 'bun:test';
import type { FileFacts } from './facts.ts';
import { parseTree } from './parse.ts';

async function factsOf(text: string): Promise<FileFacts> {
  const [facts] = await parseTree({ 'src/sample.ts': text });
  if (facts === undefined) throw new Error('the sample was not parsed');
  return facts;
}

async function referenceNames(text: string): Promise<string[]> {
  return (await factsOf(text)).references.map((reference) => `${reference.usage} ${reference.name}`);
}

describe('imports', () => {
  test('every kind of import is found, with its line', async () => {
    const facts = await factsOf(
      [
        `import a from './static.ts';`,
        `import type { B } from './type.ts';`,
        `export { c } from './again.ts';`,
        `export * from './star.ts';`,
        `import './effect.ts';`,
        `const d = await import('./dynamic.ts');`,
        `const e = require('./required.ts');`,
        `type F = import('./within-type.ts').F;`,
        `const text = "import './string.ts'"; // import './comment.ts'`,
      ].join('\n'),
    );
    expect(facts.imports).toEqual([
      { specifier: './static.ts', line: 1 },
      { specifier: './type.ts', line: 2 },
      { specifier: './again.ts', line: 3 },
      { specifier: './star.ts', line: 4 },
      { specifier: './effect.ts', line: 5 },
      { specifier: './dynamic.ts', line: 6 },
      { specifier: './required.ts', line: 7 },
      { specifier: './within-type.ts', line: 8 },
    ]);
  });
});

describe('references', () => {
  test('calls, constructions and reads of globals are distinguished', async () => {
    expect(await referenceNames(`Date.now(); new Date(1); use(process.env.PORT, process['env']);`)).toEqual([
      'call Date.now',
      'new Date',
      'call use',
      'read process.env.PORT',
      'read process.env',
    ]);
  });

  test('globalThis does not hide a global', async () => {
    expect(await referenceNames(`globalThis.fetch('x'); (globalThis['Date']).now();`)).toEqual([
      'call fetch',
      'call Date.now',
    ]);
  });

  test('a global is found within nested calls, templates, defaults, shorthand properties and base classes', async () => {
    expect(
      await referenceNames(
        `f(() => g(\`\${Date.now()}\`)); function h(clock = Date.now) {} ({ fetch }); class C extends Error {}`,
      ),
    ).toEqual(['call f', 'call g', 'call Date.now', 'read Date.now', 'read fetch', 'read Error']);
  });

  test('a declared name is not a global, within its scope only', async () => {
    expect(
      await referenceNames(
        [
          `import { Bun } from './bun.ts'; Bun.serve();`,
          `function ask(fetch: F, { process }: P, [performance]: Q) { fetch(); process.env; performance.now(); }`,
          `{ const fetch = 1; fetch; }`,
          `try {} catch (console) { console.log(); }`,
          `fetch();`,
        ].join('\n'),
      ),
    ).toEqual(['call fetch']);
  });

  test('a method or property of the same name hides nothing and is not a use', async () => {
    expect(
      await referenceNames(`class C { fetch() { fetch(); } } const o = { fetch: 1 }; o.fetch; type T = typeof fetch;`),
    ).toEqual(['call fetch']);
  });

  test('words in comments, strings, templates, regular expressions and types are not code', async () => {
    expect(
      await referenceNames(
        `// Date.now()\n/* fetch() */ 'fetch()'; \`fetch()\`; /fetch()/; interface I { fetch(): Date } let x: typeof fetch;`,
      ),
    ).toEqual([]);
  });

  test('argument texts are kept as written', async () => {
    const [reference] = (await factsOf(`Number(row.priceUsd, 'ü' /* why */);`)).references;
    expect(reference?.argumentTexts).toEqual(['row.priceUsd', `'ü'`]);
  });
});

describe('functions', () => {
  test('declarations, methods, accessors, constructors, arrows and expressions are measured', async () => {
    const text = [
      `/** Not counted. */`,
      `function one() {`,
      `  return '}';`,
      `}`,
      `const two = () => {`,
      `};`,
      `class C {`,
      `  constructor() {}`,
      `  get three() { return 1; }`,
      `  four() {`,
      `    return /[{]/;`,
      `  }`,
      `}`,
      `run(function () {`,
      `  return \`\${'{'}{\`;`,
      `});`,
      `declare function bodiless(): void;`,
    ].join('\n');
    const functions = (await factsOf(text)).functions.map((fact) => `${fact.name}:${fact.line}+${fact.lineCount}`);
    expect(functions).toEqual([
      'one:2+3',
      'two:5+2',
      'constructor:8+1',
      'three:9+1',
      'four:10+3',
      'an unnamed function:14+3',
    ]);
  });
});

describe('comments', () => {
  test('line and block comments are found, one fact per line, and none in literals', async () => {
    const text = [
      `const url = 'http://a'; // one`,
      `const t = \`// \${ /* two */ 1 } // no\`;`,
      `const r = /[//*]/; /* three`,
      `four */ const half = 4 / 2; // five "`,
      `const o = x['//no'].y('//no'); /** six ü */`,
      `type T = '//no' | \`//no\`; // seven`,
    ].join('\n');
    expect((await factsOf(text)).comments.map((comment) => `${comment.line} ${comment.text}`)).toEqual([
      '1 // one',
      '2 /* two */',
      '3 /* three',
      '4 four */',
      '4 // five "',
      '5 /** six ü */',
      '6 // seven',
    ]);
  });
});

test('casts to any are found, other casts and the word are not', async () => {
  expect((await factsOf(`a as any;\nb as unknown;\n<any>c;\n'as any'; // as any\nd as any[];`)).anyCasts).toEqual([
    1, 3,
  ]);
});

test('lines and paths of several files are kept apart', async () => {
  const files = await parseTree({ 'src/b.ts': 'a();\nb();\n', 'src/a.ts': '\n\nc();' });
  expect(files.map((file) => [file.path, file.lineCount, file.references.at(-1)?.line])).toEqual([
    ['src/a.ts', 3, 3],
    ['src/b.ts', 2, 2],
  ]);
});

test('text after characters outside ASCII keeps its position', async () => {
  const facts = await factsOf(`const s = 'äöü€😀';\nconst big = 1;\nDate.now(priceUsd); // ü\n`);
  expect(facts.references[0]).toEqual({ name: 'Date.now', usage: 'call', argumentTexts: ['priceUsd'], line: 3 });
  expect(facts.comments).toEqual([{ text: '// ü', line: 3 }]);
});
