import { USER_ID_KEY } from '../../call/end-users.ts';
import type { ClientHeaders } from './relayed-headers.ts';

/**
 * The headers in which clients name the session of a request, by rank: OpenRouter's, those of Claude Code, Codex (the older spelling last)
 * and opencode. Gemini CLI sends a session only to Google's own service; its header names the installation.
 */
const HEADERS = [
  'x-session-id',
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'conversation_id',
  'x-session-affinity',
] as const;
const INSTALLATION_HEADER = 'x-gemini-api-privileged-user-id';

/** Longer ids name no session. OpenRouter takes 256 characters; Claude Code's `user_id` has about 200. */
const MOST_CHARACTERS = 1_024;
/** Precedes the session in the `user_id` of Claude Code: `user_…_account_…_session_…`. */
const SESSION_MARK = '_session_';

/**
 * Returns a digest of the id by which a client marks the requests of one session; `null` if it sends none. The member `session_id` of the
 * body comes before the headers, as at OpenRouter.
 */
export function sessionIn(headers: ClientHeaders, body: Readonly<Record<string, unknown>>): string | null {
  const id =
    idIn(body.session_id) ??
    idInHeaders(headers) ??
    idInUser(body.metadata) ??
    idIn(headers.header(INSTALLATION_HEADER));
  return id === null ? null : digestOf(id);
}

/** Returns what stands for an id of any length in the keys of the memory. */
export function digestOf(id: string): string {
  return Bun.hash(id).toString(36);
}

function idInHeaders(headers: ClientHeaders): string | null {
  for (const name of HEADERS) {
    const id = idIn(headers.header(name));
    if (id !== null) return id;
  }
  return null;
}

/** Returns the session that Claude Code writes into the id of the user: as JSON, or at the end of the text in earlier versions. */
function idInUser(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || !(USER_ID_KEY in metadata)) return null;
  const user = idIn(metadata[USER_ID_KEY]);
  if (user === null) return null;
  if (user.startsWith('{')) return idInJson(user);
  const at = user.lastIndexOf(SESSION_MARK);
  return at < 0 ? null : idIn(user.slice(at + SESSION_MARK.length));
}

function idInJson(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'session_id' in value ? idIn(value.session_id) : null;
  } catch {
    return null;
  }
}

function idIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS ? value : null;
}
