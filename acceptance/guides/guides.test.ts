import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { GUIDES } from '../../src/main/guides.ts';
import { testNeeding } from '../../tools/test/needs.ts';
import { type Example, examplesOf, guideNames, type Language } from './examples.ts';
import { ExampleRunner, type Outcome } from './run-examples.ts';

/* Every example of the guides does what its guide says, at a gateway that has nothing but the sandbox. */

const EXAMPLES = guideNames()
  .flatMap((name) => examplesOf(name))
  .filter(({ notRun }) => notRun === null);
const inLanguage = (language: Language) => EXAMPLES.filter((example) => example.language === language);

const PYTHON = process.env.SWITCHYARD_TEST_PYTHON ?? Bun.which('python3') ?? '';
const hasPython =
  PYTHON !== '' && Bun.spawnSync([PYTHON, '-c', 'import openai, anthropic'], { stderr: 'ignore' }).exitCode === 0;
const pythonTest = testNeeding('python3 with openai and anthropic, or SWITCHYARD_TEST_PYTHON', hasPython);
const hasCurl = ['bash', 'curl', 'jq'].every((name) => Bun.which(name) !== null);
const curlTest = testNeeding('bash, curl and jq', hasCurl);

let gateway: Gateway;
let runner: ExampleRunner;
let python: Promise<Outcome[]> | undefined;

beforeAll(async () => {
  gateway = await startGatewayWith([], { sandbox: true });
  runner = await ExampleRunner.create(gateway);
  // Beside the others.
  if (hasPython) python = runner.runAllPython(inLanguage('python'), PYTHON);
  python?.catch(() => undefined);
}, 60_000);

afterAll(async () => {
  await gateway?.stop();
  await runner?.remove();
});

test('the gateway serves all guides', () => {
  expect(GUIDES.map(({ name }) => name).sort()).toEqual([...guideNames()].sort());
});

test.each([...GUIDES])('the links of $name lead somewhere', ({ markdown }) => {
  const links = [...markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
  const names = new Set(guideNames());
  expect(links.filter((target) => !names.has(target.replace(/\.md(?:#.*)?$/, '')))).toEqual([]);
});

const titled = ({ guide, line }: Example) => `${guide}.md:${line} does what it says`;

function check({ exitCode, output }: Outcome, { expected }: Example): void {
  for (const text of expected) expect(output).toContain(text);
  expect([exitCode, output]).toEqual([0, output]);
}

describe('curl', () => {
  const command = ['bash', '-euo', 'pipefail'];
  for (const example of inLanguage('sh'))
    curlTest(titled(example), async () => check(await runner.run(example, command), example));
});

describe('TypeScript', () => {
  for (const example of inLanguage('ts'))
    test(titled(example), async () => check(await runner.run(example, [process.execPath]), example));
});

describe('Python', () => {
  for (const [place, example] of inLanguage('python').entries())
    pythonTest(
      titled(example),
      async () => {
        const outcome = (await python)?.[place];
        expect(outcome).toBeDefined();
        if (outcome !== undefined) check(outcome, example);
      },
      120_000,
    );
});
