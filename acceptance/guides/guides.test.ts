import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { type Example, examplesOf, guideNames, type Language } from './examples.ts';
import { ExampleRunner, type Outcome } from './run-examples.ts';

/* Every example of the guides works as described, on a gateway with only the sandbox. */

/** A Python with the packages of requirements.txt. */
const PYTHON = process.env.SWITCHYARD_TEST_PYTHON ?? 'python3';
const EXAMPLES = guideNames()
  .flatMap((name) => examplesOf(name))
  .filter(({ notRun }) => notRun === null);
const inLanguage = (language: Language) => EXAMPLES.filter((example) => example.language === language);

let gateway: Gateway;
let runner: ExampleRunner;
let python: Promise<Outcome[]>;

beforeAll(async () => {
  gateway = await startGatewayWith([], { sandbox: true });
  runner = await ExampleRunner.create(gateway);
  // They run in parallel with the others; the tests that await them report failures.
  python = runner.runAllPython(inLanguage('python'), PYTHON);
  python.catch(() => undefined);
});

afterAll(async () => {
  await gateway?.stop();
  await runner?.remove();
});

const titled = ({ guide, line }: Example) => `${guide}.md:${line} does what it says`;

function check({ exitCode, output }: Outcome, { expected }: Example): void {
  for (const text of expected) expect(output).toContain(text);
  expect([exitCode, output]).toEqual([0, output]);
}

describe('curl', () => {
  const command = ['bash', '-euo', 'pipefail'];
  for (const example of inLanguage('sh')) {
    test(titled(example), async () => check(await runner.run(example, command), example));
  }
});

describe('TypeScript', () => {
  for (const example of inLanguage('ts')) {
    test(titled(example), async () => check(await runner.run(example, [process.execPath]), example));
  }
});

describe('Python', () => {
  for (const [place, example] of inLanguage('python').entries()) {
    test(titled(example), async () => {
      const outcome = (await python)[place];
      expect(outcome).toBeDefined();
      if (outcome !== undefined) check(outcome, example);
    });
  }
});
