import type { Quirk } from '../../../formats/quirk.ts';
import type { EmbeddingTraits } from '../../../formats/wire.ts';

/**
 * A program that serves models behind an OpenAI-compatible API. Its rules are the same whether a channel names its own provider or
 * `openai-compatible`.
 */
export interface ServerFamily {
  /** The value of the setting `server`. */
  readonly name: string;
  readonly label: string;
  /** How it differs from each format, by the format's name. */
  readonly quirks: Readonly<Record<string, readonly Quirk[]>>;
  /** How it differs from each wire, by the wire's name. */
  readonly wires: Readonly<Record<string, { readonly embeddings: readonly EmbeddingTraits[] }>>;
  /** By what it is recognized; one is enough. */
  readonly signs: readonly ServerSign[];
}

/** Something that a server says of itself to everybody. */
export interface ServerSign {
  /** `models` is the list of models; anything else is a path below the server's address without the version (`/v1`). */
  readonly path: 'models' | `/${string}`;
  /** Whether an answer in JSON is this server's. Other servers may answer the same path. */
  readonly isIn: (answer: unknown) => boolean;
}

/** The value of the setting `server` for a server that is none of the families, and is not to be asked what it is. */
export const OTHER_SERVER = 'other';
