import type { EmbeddingTraits } from '../../../formats/embeddings/wire.ts';
import type { Quirk } from '../../../formats/text/quirk.ts';

/**
 * A program that serves models behind an OpenAI-compatible API. Its rules are the same whether a channel names its own provider
 * or `openai-compatible`.
 */
export interface ServerFamily {
  /** The value of the setting `server`. */
  readonly name: string;
  readonly label: string;
  /** Its differences from each format, by the format's name. */
  readonly quirks: Readonly<Record<string, readonly Quirk[]>>;
  /** Its differences from each wire, by the wire's name. */
  readonly wires: Readonly<Record<string, { readonly embeddings: readonly EmbeddingTraits[] }>>;
  /** Signs by which it is recognized; one is enough. */
  readonly signs: readonly ServerSign[];
}

/** Public information by which a server is recognized. */
export interface ServerSign {
  /** `models` is the list of models; anything else is a path below the server's address without the version (`/v1`). */
  readonly path: 'models' | `/${string}`;
  /** Returns whether a JSON answer is from this server. Other servers may answer the same path. */
  readonly isIn: (answer: unknown) => boolean;
}

/** The value of the setting `server` for a server of another kind, which is not probed. */
export const OTHER_SERVER = 'other';
