import type { Channel } from '../../domain/catalog/channel.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { AdminError } from './admin-error.ts';

/** The channel with this id. Throws an `AdminError` that names the nearest id where there is none. */
export function findChannel(channels: readonly Channel[], id: string): Channel {
  const found = channels.find((channel) => channel.id === id);
  if (found !== undefined) return found;
  const [guess] = suggestModels(
    id,
    channels.map((channel) => channel.id),
    1,
  );
  const hint = guess === undefined ? '' : ` (did you mean "${guess}"?)`;
  throw new AdminError('not_found', 'channel', `there is no channel "${id.slice(0, 100)}"${hint}`);
}
