import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { answersOk, freePort, startChild } from '../shared/child-process.ts';
import { channelOf, type TargetFormat } from './targets.ts';

const projectFolder = path.join(import.meta.dir, '..', '..');
const apiKey = 'sk-conformance-0123456789abcdef0123456789abcdef';

/** A gateway as a client of these checks sees it. */
export interface RequestGateway {
  readonly origin: string;
  readonly apiKey: string;
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/** A gateway with a channel for each target, that may fetch media from this machine. */
export async function startRequestGateway(
  targets: readonly TargetFormat[],
  upstreamOrigin: string,
): Promise<RequestGateway> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchyard-requests-'));
  const clean = () => rm(folder, { recursive: true, force: true });
  try {
    const configFile = path.join(folder, 'switchyard.yaml');
    await writeFile(configFile, configuration(targets, upstreamOrigin));
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const entry = process.env.SWITCHYARD_ENTRY ?? path.join(projectFolder, 'src', 'main', 'switchyard.ts');
    const child = await startChild({
      name: 'the gateway',
      command: [process.execPath, entry, 'serve'],
      cwd: projectFolder,
      env: {
        PORT: String(port),
        HOST: '127.0.0.1',
        SWITCHYARD_DATA: path.join(folder, 'data'),
        SWITCHYARD_CONFIG: configFile,
      },
      ready: () => answersOk(`${origin}/healthz`),
    });
    const stop = async () => {
      await child.stop();
      await clean();
    };
    return { origin, apiKey, output: child.output, stop };
  } catch (error) {
    await clean();
    throw error;
  }
}

function configuration(targets: readonly TargetFormat[], upstreamOrigin: string): string {
  return stringify({
    channels: targets.map((target) => channelOf(target, upstreamOrigin)),
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
    accounts: [
      {
        id: 'conformance',
        name: 'Conformance',
        role: 'VIP',
        billing: 'unlimited',
        requests_per_minute: 1_000_000,
        keys: [{ id: 'conformance', name: 'Conformance', secret: apiKey }],
      },
    ],
  });
}
