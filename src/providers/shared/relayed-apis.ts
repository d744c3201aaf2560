/** An API for objects that a provider stores for an account, or for a connection to the provider. */
export interface RelayedApi {
  /** The client format of its answers and errors, which also decides how a channel authorizes its requests. */
  readonly format: string;
  /** The path below the version. */
  readonly path: string;
  /** Where requests name a model, in the query or in the body's members at these paths: it is checked and mapped. */
  readonly models?: readonly ModelPlace[];
  /** The gateway cannot see which models the requests use, so a key with a list of models must not use the API. */
  readonly hidesModels?: true;
  /** Its answers contain URLs of the API itself, which clients follow. */
  readonly linksBack?: true;
  /** Uploads in Google's way: files are sent to `/upload/…`, and a response header has the URL for the rest of a file. */
  readonly uploads?: true;
}

export type ModelPlace = 'model' | 'session.model';

/**
 * The APIs that are passed through to an account's own channel. A provider's manifest says which of them it has. Sources: the
 * published documents of OpenAI, Anthropic, Google and Mistral.
 */
export const RELAYED_APIS = {
  files: { format: 'openai-chat', path: 'files' },
  batches: { format: 'openai-chat', path: 'batches', hidesModels: true },
  'batch-jobs': { format: 'openai-chat', path: 'batch/jobs', hidesModels: true },
  uploads: { format: 'openai-chat', path: 'uploads' },
  'vector-stores': { format: 'openai-chat', path: 'vector_stores' },
  containers: { format: 'openai-chat', path: 'containers' },
  conversations: { format: 'openai-chat', path: 'conversations' },
  realtime: { format: 'openai-chat', path: 'realtime', models: ['model', 'session.model'] },
  'anthropic-files': { format: 'anthropic-messages', path: 'files' },
  'message-batches': {
    format: 'anthropic-messages',
    path: 'messages/batches',
    hidesModels: true,
    linksBack: true,
  },
  'gemini-files': { format: 'gemini', path: 'files', uploads: true },
  'gemini-caches': { format: 'gemini', path: 'cachedContents', models: ['model'] },
  'gemini-interactions': { format: 'gemini', path: 'interactions', models: ['model'] },
  'gemini-batches': { format: 'gemini', path: 'batches', hidesModels: true },
} as const satisfies Record<string, RelayedApi>;

export type RelayedApiName = keyof typeof RELAYED_APIS;

/** The APIs that OpenAI itself has. */
export const OPENAI_RELAYS: readonly RelayedApiName[] = [
  'files',
  'batches',
  'uploads',
  'vector-stores',
  'containers',
  'conversations',
  'realtime',
];
