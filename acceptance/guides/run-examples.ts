import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Gateway, MANAGEMENT_TOKEN } from '../../conformance/shared/gateway.ts';
import type { Example } from './examples.ts';

export interface Outcome {
  readonly exitCode: number;
  readonly output: string;
}

/** The limit for one example, or for all Python examples together. It only ends a program that hangs. */
const LIMIT_MS = 200_000;

/** Runs examples like a reader: address and key in the environment, in a folder where the SDKs are installed. */
export class ExampleRunner {
  private constructor(
    private readonly folder: string,
    private readonly gateway: Pick<Gateway, 'origin' | 'apiKey'>,
  ) {}

  static async create(gateway: Pick<Gateway, 'origin' | 'apiKey'>): Promise<ExampleRunner> {
    const folder = await mkdtemp(path.join(tmpdir(), 'switchyard-guides-'));
    await symlink(path.join(import.meta.dir, '../../node_modules'), path.join(folder, 'node_modules'));
    return new ExampleRunner(folder, gateway);
  }

  async run(example: Example, command: readonly string[]): Promise<Outcome> {
    const place = await this.placeFor(example);
    const file = `example.${example.language}`;
    await Bun.write(path.join(place, file), example.code);
    const child = this.start([...command, file], place);
    child.stdin.end();
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { exitCode: await child.exited, output: output + errors };
  }

  /** Runs the examples one after another. Resolves to the outcomes in their order. */
  async runAllPython(examples: readonly Example[], python: string): Promise<Outcome[]> {
    const child = this.start([python, path.join(import.meta.dir, 'run_examples.py')], this.folder);
    for (const example of examples)
      child.stdin.write(`${JSON.stringify({ place: await this.placeFor(example), code: example.code })}\n`);
    child.stdin.end();
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) !== 0) throw new Error(`the examples in Python could not be run:\n${errors}`);
    return output
      .trim()
      .split('\n')
      .map((line): Outcome => JSON.parse(line));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  private async placeFor({ guide, line }: Example): Promise<string> {
    const place = path.join(this.folder, `${guide}-${line}`);
    await mkdir(place, { recursive: true });
    return place;
  }

  private start(command: readonly string[], cwd: string) {
    const { PATH = '', HOME = '' } = process.env;
    const { origin, apiKey } = this.gateway;
    return Bun.spawn([...command], {
      cwd,
      env: {
        ...{ PATH, HOME },
        SWITCHYARD_URL: origin,
        SWITCHYARD_API_KEY: apiKey,
        SWITCHYARD_TOKEN: MANAGEMENT_TOKEN,
      },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: LIMIT_MS,
    });
  }
}
