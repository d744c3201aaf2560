import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../engine/ports/logger.ts';
import { connectToPeer } from '../../stores/shared/link/peer.ts';
import { GROUP, GROUP_FILE, type OfferedGroup } from './membership.ts';

/** Makes the group on this data folder restart its workers. Resolves to the problem, in a sentence, or `null`. */
export async function reloadGroup(dataDirectory: string, logger: Logger): Promise<string | null> {
  const nobody = `No gateway with several processes runs on the data folder ${dataDirectory}. Start one with SWITCHYARD_WORKERS, or name its folder with --data.`;
  let path: string;
  try {
    path = readFileSync(join(dataDirectory, GROUP_FILE), 'utf8').trim();
  } catch {
    return nobody;
  }
  const owner = await connectToPeer(path, {}, logger).catch(() => null);
  if (owner === null) return nobody;
  try {
    return await owner.far<OfferedGroup>(GROUP).reload();
  } catch {
    return 'The gateway exited in the meantime.';
  } finally {
    owner.close();
  }
}
