import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { servedBy } from '../../providers/shared/servers/served-by.ts';
import { OTHER_SERVER, type ServerFamily, type ServerSign } from '../../providers/shared/servers/server-family.ts';
import { type ChannelQuestion, channelParts, makeQuestion } from '../directory/target.ts';
import type { Upstream } from '../ports/upstream.ts';
import { askChannel } from './ask-channel.ts';

/** `llama-server` includes its chat template, and a list of models has some hundred bytes per model. */
const BOUNDS = { limitBytes: 1024 * 1024 };
const LONGEST_MS = 3_000;

export interface RecognizedServer {
  /** `null` if the server belongs to no known family. */
  readonly family: ServerFamily | null;
  /** `set` if the channel's settings name the server; `null` if nothing is known. */
  readonly source: 'set' | 'detected' | null;
}

export const UNKNOWN_SERVER: RecognizedServer = { family: null, source: null };

/** Returns the manifest with the rules of the server, if its family is known. */
export function manifestOf(manifest: ProviderManifest, { family }: RecognizedServer): ProviderManifest {
  return family === null ? manifest : servedBy(manifest, family);
}

/** Returns the server in the channel's settings; `null` if it has to be recognized. */
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
 * Recognizes the server at the channel's address with free requests, one after the other until an answer has the sign of a server. Resolves
 * to a failure if none was answered. Takes at most 20 s, and never throws.
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
        // An address that is unreachable now will be unreachable for the next request too.
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

/** Does the same for an interactive caller, with a failure as an unknown server. */
export async function serverOf(
  upstream: Upstream,
  channel: Channel,
  manifest: ProviderManifest,
): Promise<RecognizedServer> {
  const found = await recognizeServer(upstream, channel, manifest);
  return found instanceof Failure ? UNKNOWN_SERVER : found;
}

/** Returns whether the server answered: a failure with a status means that it is there, but lacks this path or wants another key. */
function isAnswer({ kind }: Failure): boolean {
  return /^(?:http_\d+|upstream_auth|forbidden|invalid_request|lacks_ability|object_not_accessible)/.test(kind);
}

async function ask(upstream: Upstream, question: ChannelQuestion): Promise<unknown> {
  const bytes = await askChannel(upstream, question, async (body) => body.readAll(BOUNDS), LONGEST_MS);
  if (!(bytes instanceof Failure)) return parseJsonBytes(bytes);
  // An answer that is too long for any server's has no sign.
  return bytes.kind === 'answer_too_large' ? undefined : bytes;
}

interface FamilySign {
  readonly family: ServerFamily;
  readonly sign: ServerSign;
}

/** Groups the signs by path, so that each path is requested once, the list of models first. */
function signsByPath(families: readonly ServerFamily[]): ReadonlyMap<string, readonly FamilySign[]> {
  const signs = families.flatMap((family) => family.signs.map((sign) => ({ family, sign })));
  return Map.groupBy(
    [...signs.filter(({ sign }) => sign.path === 'models'), ...signs.filter(({ sign }) => sign.path !== 'models')],
    ({ sign }) => sign.path,
  );
}

/** Returns the address without the version. */
function rootOf(url: string): string {
  return url.replace(/\/v\d+$/, '');
}

/** Returns as JSON which program serves a channel, and whether the settings name it; `null` if unknown. */
export function serverView({ family, source }: RecognizedServer) {
  return family === null || source === null ? null : { name: family.name, label: family.label, source };
}
