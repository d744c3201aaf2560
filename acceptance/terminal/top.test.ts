import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { GATEWAY_PROGRAM, ProcessWorkspace } from '../shared/process-workspace.ts';

/* `switchyard top` and `logs --follow` as processes, on a pseudo-terminal and a pipe. */

const OPERATOR = 'mt-operator-of-the-terminal-00000001';
const KEY = 'sk-acme-of-the-terminal-000000000001';
const ENTER = '\u001b[?1049h';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

let space: ProcessWorkspace;
let origin: string;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  const file = await space.write('switchyard.yaml', {
    sandbox: true,
    accounts: [
      {
        ...{ id: 'house', name: 'House', admin: true, keys: [] },
        management_tokens: [{ id: 'ops', name: 'Ops', secret: OPERATOR }],
      },
      {
        id: 'acme',
        name: 'Acme',
        billing: 'unlimited',
        requests_per_minute: 1_000_000,
        keys: [{ id: 'laptop', name: 'Laptop', secret: KEY }],
      },
    ],
  });
  ({ origin } = await space.serve({ env: { SWITCHYARD_CONFIG: file } }));
});

afterAll(() => space.remove());

/** A command on a terminal of its own. */
class OnTerminal {
  output = '';
  readonly #terminal: Bun.Terminal;
  readonly child: Bun.Subprocess;

  constructor(args: readonly string[], size: { readonly cols: number; readonly rows: number }, env: object = {}) {
    this.#terminal = new Bun.Terminal({
      ...size,
      data: (_terminal, bytes) => {
        this.output += new TextDecoder().decode(bytes);
      },
    });
    const environment = { ...process.env, SWITCHYARD_TOKEN: OPERATOR, TERM: 'xterm', NO_COLOR: '', ...env };
    this.child = Bun.spawn([...GATEWAY_PROGRAM, ...args], { env: environment, terminal: this.#terminal });
  }

  type(keys: string): void {
    this.#terminal.write(keys);
  }

  /** The lines of the latest whole screen. */
  get screen(): readonly string[] {
    const last = this.output.split('\u001b[H').at(-1) ?? '';
    return Bun.stripANSI(last)
      .split(/\r*\n/)
      .map((line) => line.trimEnd());
  }

  close(): void {
    this.#terminal.close();
  }
}

function watch(size = { cols: 80, rows: 24 }, env: object = {}): OnTerminal {
  return new OnTerminal(['top', '--url', origin, '--interval', '1', '--slow', '0'], size, env);
}

async function send(model = 'sandbox-chat'): Promise<void> {
  await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  }).then((answer) => answer.text());
}

test('the screen shows the gateway and its requests, and keys change it', async () => {
  const top = watch();
  await until('the channels are shown', () => top.screen.some((line) => line.startsWith('sandbox ')));
  expect(top.output).toContain(ENTER);
  expect(top.screen[0]).toMatch(/^ok {2}\d\d:\d\d:\d\d {2}http/);
  expect(top.screen).toHaveLength(24);
  await until('a request is shown', async () => {
    await send();
    return top.screen.some((line) => line.startsWith('sandbox-chat '));
  });
  top.type('g');
  await until('the groups have changed', () => top.screen.at(-1)?.includes('group: channel') === true);
  top.type('s');
  await until('the order has changed', () => top.screen.at(-1)?.includes('sort: failed') === true);
  top.type(' ');
  await until('it is paused', () => top.screen[0]?.includes('PAUSED') === true);
  top.type(' ');
  await until('it goes on', () => top.screen[0]?.includes('PAUSED') === false);
  top.type('q');
  expect(await top.child.exited).toBe(0);
  await until('the terminal is restored', () => top.output.endsWith(LEAVE));
  top.close();
});

test('a hostile tenant cannot write to the terminal', async () => {
  const top = watch();
  await until('the screen is drawn', () => top.screen.length === 24);
  await until('the request is shown', async () => {
    await send('evil\u001b]0;owned\u0007\u009b2J');
    return top.screen.some((line) => line.startsWith('req_') && line.includes('evil'));
  });
  expect(top.output).not.toContain('owned\u0007');
  expect(top.output).not.toContain('\u009b');
  top.type('\u0003');
  expect(await top.child.exited).toBe(0);
  top.close();
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 0],
  ['SIGHUP', 129],
] as const)('%s restores the terminal', async (signal, exitCode) => {
  const top = watch();
  await until('the screen is drawn', () => top.screen.length === 24);
  top.child.kill(signal);
  expect(await top.child.exited).toBe(exitCode);
  await until('the terminal is restored', () => top.output.endsWith(LEAVE));
  top.close();
});

test('without colours, no style is written', async () => {
  const top = watch({ cols: 80, rows: 24 }, { NO_COLOR: '1' });
  await until('the channels are shown', () => top.screen.some((line) => line.startsWith('sandbox ')));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequence is what the test looks for
  expect(top.output).not.toMatch(/\u001b\[\d*m/);
  top.type('q');
  await top.child.exited;
  top.close();
});

test('a small terminal is not exceeded', async () => {
  const top = watch({ cols: 40, rows: 12 });
  await until('the channels are shown', () => top.screen.some((line) => line.startsWith('sandbox ')));
  expect(top.screen).toHaveLength(12);
  expect(Math.max(...top.screen.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(40);
  top.type('q');
  expect(await top.child.exited).toBe(0);
  top.close();
});

test('a reader that closes the pipe ends logs quietly', async () => {
  for (let count = 0; count < 5; count++) await send();
  const { exitCode, stdout, stderr } = await space.shell(
    `"$@" logs --url ${origin} --limit 1000 | head -n 1; exit "\${PIPESTATUS[0]}"`,
    { env: { SWITCHYARD_TOKEN: OPERATOR } },
  );
  expect({ exitCode, stderr, lines: stdout.trim().split('\n').length }).toEqual({ exitCode: 0, stderr: '', lines: 1 });
});

test('following ends quietly with its reader', async () => {
  const command = space.shell(`"$@" logs --follow --url ${origin} | head -n 8`, {
    env: { SWITCHYARD_TOKEN: OPERATOR },
  });
  let isOver = false;
  void command.then(() => {
    isOver = true;
  });
  while (!isOver) await send();
  const { stdout, stderr } = await command;
  expect({ stderr, lines: stdout.trim().split('\n').length }).toEqual({ stderr: '', lines: 8 });
});
