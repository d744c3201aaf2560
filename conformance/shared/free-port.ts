import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the range from which systems choose ports themselves, so that only another call could choose the same one. */
const PORTS = { from: 20_000, count: 12_000 };

/**
 * Resolves to a port at which nothing listens, and at which no other test will listen: it is claimed by a file in the run's temporary
 * folder, which all processes of a run share.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if (!(await isClaimed(port)) && (await isFree(port))) return port;
  }
}

async function isClaimed(port: number): Promise<boolean> {
  return open(join(tmpdir(), `port-${port}`), 'wx').then(
    async (file) => {
      await file.close();
      return false;
    },
    () => true,
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
