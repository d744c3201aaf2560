import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, mkdir } from 'node:fs/promises';
import {
  accountWith,
  channelTo,
  clientKey,
  keyNamed,
  startUpstream,
  wholeAnswer,
} from '../../conformance/first-light/upstream.ts';
import { chatBody, rawRequest } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { builtExecutable } from '../shared/builds.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';
import { testInstallation } from './contract.ts';

setDefaultTimeout(600_000);

/** More than the 256 parallel requests that Bun allows by default. */
const AT_ONCE = 400;

describe('the single executable', () => {
  let space: ProcessWorkspace;
  let executable: string;

  beforeAll(async () => {
    space = await ProcessWorkspace.create();
    executable = await builtExecutable();
  });

  afterAll(() => space.remove());

  /** Runs it without the project, Node or Bun. */
  const alone = () => ({ program: [executable], cwd: space.folder, env: { PATH: '/nowhere' } });

  testInstallation(() => ({ space, options: alone() }));

  test('needs to write to the data folder only', async () => {
    const [folder, data] = [space.path('read-only'), space.path('writable')];
    await mkdir(folder);
    await mkdir(data);
    for (const [path, mode] of [
      [space.folder, 0o711],
      [data, 0o777],
      [folder, 0o555],
    ] as const)
      await chmod(path, mode);
    // Permissions do not restrict root.
    const drop = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const env = { ...alone().env, PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, SWITCHYARD_DATA: data };
    const serving = await space.serve({ program: [...drop, executable], cwd: folder, env });
    expect((await serving.chat(serving.firstKey ?? '', chatBody('sandbox-chat'))).status).toBe(200);
    expect(await serving.stop()).toBe(0);
  });

  test(`has ${AT_ONCE} upstream requests in flight at once`, async () => {
    let open = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const upstream = startUpstream(async (request) => {
      open++;
      await released;
      open--;
      return wholeAnswer(request);
    });
    let serving: ServingProcess | null = null;
    try {
      const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
        channels: [channelTo(upstream, { models: ['slow'] })],
        accounts: [accountWith('acme', [keyNamed('main')])],
      });
      serving = await space.serve({ ...alone(), env: { ...alone().env, SWITCHYARD_CONFIG } });
      const body = JSON.stringify(chatBody('slow'));
      const head = [
        'POST /v1/chat/completions HTTP/1.1',
        'host: gateway',
        `authorization: Bearer ${clientKey('main')}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
      ].join('\r\n');
      const { port } = serving;
      const answers = Array.from({ length: AT_ONCE }, () => rawRequest(port, `${head}\r\n\r\n${body}`));
      try {
        await until(`${AT_ONCE} are open`, () => open === AT_ONCE);
      } finally {
        release();
      }
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(AT_ONCE);
    } finally {
      await serving?.stop();
      await upstream.stop();
    }
  });
});
