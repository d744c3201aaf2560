import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import { providers } from '../../providers/index.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { addInitCommand } from './init-command.ts';
import { settingsFrom } from './settings.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  fixture.providers = providers;
});

afterEach(() => fixture.remove());

const init = (...args: string[]) => fixture.run(['init', '--output', fixture.path('switchyard.yaml'), ...args]);
const written = () => readFile(fixture.path('switchyard.yaml'), 'utf8');

/** Loads the file with every variable that the command has named. */
const load = async (stdout: string): Promise<Configuration> => {
  const [, names = ''] = /^Set (.*) \(or NAME_FILE/m.exec(stdout) ?? [];
  const environment = Object.fromEntries(names.split(', ').map((name) => [name, 'a-value-that-is-long-enough']));
  return loadConfiguration(fixture.path('switchyard.yaml'), { environment, providers });
};

/** Returns the lines with a field that neither have a comment nor follow one. */
const uncommented = (text: string): readonly string[] => {
  const lines = text.split('\n');
  return lines.filter((line, index) => /^ *(- )?\w+:/.test(line) && !/^ *#/.test(lines[index - 1] ?? ''));
};

describe('with options', () => {
  test.each([
    ['laptop', []],
    ['laptop', ['--providers', 'openai,anthropic, google']],
    ['server', []],
    [
      'server',
      [
        '--providers',
        'mistral',
        '--public-url',
        'https://ai.example.com/llm',
        '--trusted-proxies',
        '10.0.0.0/8,fd00::/8',
      ],
    ],
    ['cluster', []],
    ['cluster', ['--providers', 'openai', '--public-url', 'https://ai.example.com', '--bucket', 'acme-media']],
  ])('a file for %s with %j is valid, and a comment explains each field', async (situation, args) => {
    const { exitCode, stdout, stderr } = await init('--for', situation, ...args);
    expect([exitCode, stderr]).toEqual([0, '']);
    await load(stdout);
    expect(uncommented(await written())).toEqual([]);
  });

  test('the answers are in the file, and the next two commands use it', async () => {
    const path = fixture.path('switchyard.yaml');
    const args = ['--providers', 'openai', '--public-url', 'https://ai.example.com', '--bucket', 'acme-media'];
    const { stdout } = await init('--for', 'cluster', ...args);
    expect(stdout).toEndWith(`\n  switchyard apply --check ${path}\n  switchyard serve --config ${path}\n`);
    const { channels, server, mediaStore, sandbox } = await load(stdout);
    expect(channels).toMatchObject([{ id: 'openai', provider: 'openai', apiKey: 'a-value-that-is-long-enough' }]);
    expect(Object.keys(channels[0]?.models ?? {}).length).toBeGreaterThan(3);
    expect([server.publicUrl, mediaStore.s3?.bucket, sandbox]).toEqual(['https://ai.example.com', 'acme-media', false]);
    expect(stdout).toContain(
      'Set SWITCHYARD_SECRET, DATABASE_URL, REDIS_URL, OPENAI_API_KEY, METRICS_TOKEN, S3_ACCESS_KEY_ID',
    );
  });

  test('a file is never replaced without --force', async () => {
    await writeFile(fixture.path('switchyard.yaml'), 'mine');
    expect(await init('--for', 'laptop')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('exists already'),
    });
    expect(await written()).toBe('mine');
    expect((await init('--for', 'laptop', '--force')).exitCode).toBe(0);
    expect(await written()).toStartWith('# Switchyard on a laptop');
    expect(await readdir(fixture.folder)).toEqual(['switchyard.yaml']);
    // A gateway that runs as another user has to read it, and it holds no secret.
    expect((await stat(fixture.path('switchyard.yaml'))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test.each([
    [[], '--for: say where the gateway will run'],
    [['--providers', 'openai'], '--for: say where the gateway will run'],
    [['--for', 'laptop', '--providers', 'opnai'], '--providers: there is no provider "opnai" (did you mean "openai"?)'],
    [['--for', 'laptop', '--providers', 'azure-openai'], '--providers: Azure OpenAI needs more than a key'],
    [['--for', 'laptop', '--bucket', 'acme'], '--bucket: is only for cluster'],
    [['--for', 'laptop', '--public-url', 'https://a.example'], '--public-url: is only for server and cluster'],
    [['--for', 'server', '--public-url', 'ai.example.com'], '--public-url: must be'],
    [['--for', 'server', '--trusted-proxies', 'everyone'], '--trusted-proxies: must be'],
    [['--for', 'cluster', '--bucket', 'a b'], '--bucket: must be'],
  ])('%j is a usage error that names the option', async (args, message) => {
    const { exitCode, stdout, stderr } = await init(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith(`switchyard: ${message}`);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(await readdir(fixture.folder)).toEqual([]);
  });

  test('a folder that does not exist is named', async () => {
    const { exitCode, stderr } = await fixture.run(['init', '--for', 'laptop', '--output', fixture.path('no/file')]);
    expect([exitCode, stderr]).toEqual([
      1,
      `switchyard: ${fixture.path('no/file')}: cannot be written (ENOENT): create its folder first\n`,
    ]);
  });
});

describe('on a terminal', () => {
  const answering = async (...answers: string[]) => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return answers.shift() ?? null;
    };
    const program = new Command().exitOverride();
    const setup = {
      program,
      dependencies: fixture.dependencies(),
      settings: settingsFrom({}, {}),
      setExitCode: () => {},
    };
    addInitCommand(setup, { ask });
    const args = ['init', '--output', fixture.path('switchyard.yaml')];
    const error = await program.parseAsync(args, { from: 'user' }).then(
      () => null,
      (problem: Error) => problem.message,
    );
    return { questions, error };
  };

  test('the questions of the situation are asked', async () => {
    const { questions, error } = await answering('2', 'openai', 'https://ai.example.com', '');
    expect(error).toBe(null);
    expect(questions.map((question) => question.split(/[ ,]/)[0])).toEqual([
      'Where',
      'Providers',
      'Address',
      'Addresses',
    ]);
    expect(await written()).toContain('public_url: "https://ai.example.com"');
    expect(await written()).toContain('# trusted_proxies:');
  });

  test('a question is repeated with the problem of its answer', async () => {
    const { questions, error } = await answering('4', 'LAPTOP', 'opnai', 'openai');
    expect(error).toBe(null);
    expect(questions[1]).toStartWith('Answer 1, 2 or 3.\nWhere');
    expect(questions[3]).toStartWith('there is no provider "opnai" (did you mean "openai"?)');
  });

  test('after Ctrl-C, or after many invalid answers, no file is written', async () => {
    expect((await answering('1')).error).toStartWith('No file was written.');
    expect((await answering('4', '5', '6', '7', '8', '1')).error).toStartWith('No file was written.');
    expect(await readdir(fixture.folder)).toEqual([]);
  });
});
