import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { servedBy } from '../../providers/shared/servers/served-by.ts';
import { OTHER_SERVER, type ServerFamily, type ServerSign } from '../../providers/shared/servers/server-family.ts';
import { type ChannelQuestion, channelParts, makeQuestion } from '../directory/target.ts';
import type { Upstream } from '../ports/upstream.ts';
import { askChannel } from './ask-channel.ts';

/** `llama-server` says its chat template there, and a list of models has some hundred bytes a model. */
const BOUNDS = { limitBytes: 1024 * 1024 };
const LONGEST_MS = 3_000;

export interface RecognizedServer {
  /** `null` for none of the families. */
  readonly family: ServerFamily | null;
  /** `set`: the channel's settings name it. `null` where nothing is known. */
  readonly source: 'set' | 'detected' | null;
}

export const UNKNOWN_SERVER: RecognizedServer = { family: null, source: null };

/** The manifest with the rules of the server, if it is one of the families. */
export function manifestOf(manifest: ProviderManifest, { family }: RecognizedServer): ProviderManifest {
  return family === null ? manifest : servedBy(manifest, family);
}

/** What the channel's settings say of its server; `null` where they leave it to be recognized. */
export function serverInSettings(
  { settings }: Pick<Channel, 'settings'>,
  { servers = [] }: Pick<ProviderManifest, 'servers'>,
): RecognizedServer | null {
  if (servers.length === 0) return UNKNOWN_SERVER;
  if (settings.server === OTHER_SERVER) return { family: null, source: 'set' };
  const family = servers.find(({ name }) => name === settings.server);
  return family === undefined ? null : { family, source: 'set' };
}

/**
 * Asks the channel's address what serves it, with questions that cost nothing, one after the other until an answer has the sign of a
 * server. A failure where none of them was answered. Takes 20 s at most, and never throws.
 */
export async function recognizeServer(
  upstream: Upstream,
  channel: Channel,
  manifest: ProviderManifest,
): Promise<RecognizedServer | Failure> {
  const set = serverInSettings(channel, manifest);
  if (set !== null) return set;
  const { servers = [] } = manifest;
  const parts = channelParts(channel, manifest);
  const base = makeQuestion(parts, { path: '' });
  if (base === null) return UNKNOWN_SERVER;
  let failure: Failure | null = null;
  let isReached = false;
  for (const [path, families] of signsByPath(servers)) {
    const url = path === 'models' ? base.url + (manifest.modelList?.path ?? '/models') : rootOf(base.url) + path;
    const answer = await ask(upstream, { ...base, url });
    if (answer instanceof Failure) {
      if (!isAnswer(answer)) {
        failure = answer;
        // An address that is not there now will not be there for the next question either.
        if (!isReached) break;
      }
      continue;
    }
    isReached = true;
    const found = families.find(({ sign }) => sign.isIn(answer));
    if (found !== undefined) return { family: found.family, source: 'detected' };
  }
  return isReached || failure === null ? UNKNOWN_SERVER : failure;
}

/** The same for a person who waits: what cannot be asked is not known. */
export async function serverOf(
  upstream: Upstream,
  channel: Channel,
  manifest: ProviderManifest,
): Promise<RecognizedServer> {
  const found = await recognizeServer(upstream, channel, manifest);
  return found instanceof Failure ? UNKNOWN_SERVER : found;
}

/** A failure with a status is an answer, too: the server is there, and does not have this path, or wants another key. */
function isAnswer({ kind }: Failure): boolean {
  return /^(?:http_\d+|upstream_auth|forbidden|invalid_request|lacks_ability|object_not_accessible)/.test(kind);
}

async function ask(upstream: Upstream, question: ChannelQuestion): Promise<unknown> {
  const bytes = await askChannel(upstream, question, async (body) => body.readAll(BOUNDS), LONGEST_MS);
  if (!(bytes instanceof Failure)) return parseJsonBytes(bytes);
  // What is longer than any server's answer is an answer without a sign.
  return bytes.kind === 'answer_too_large' ? undefined : bytes;
}

interface FamilySign {
  readonly family: ServerFamily;
  readonly sign: ServerSign;
}

/** Each path is asked once, the list of models first. */
function signsByPath(families: readonly ServerFamily[]): ReadonlyMap<string, readonly FamilySign[]> {
  const signs = families.flatMap((family) => family.signs.map((sign) => ({ family, sign })));
  return Map.groupBy(
    [...signs.filter(({ sign }) => sign.path === 'models'), ...signs.filter(({ sign }) => sign.path !== 'models')],
    ({ sign }) => sign.path,
  );
}

/** The address without the version. */
function rootOf(url: string): string {
  return url.replace(/\/v\d+$/, '');
}
