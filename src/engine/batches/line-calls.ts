import { Failure } from '../../domain/failure/failure.ts';
import { openaiEmbeddings } from '../../formats/embeddings/openai-embeddings/index.ts';
import { clientFormats } from '../../formats/index.ts';
import { openaiModerations } from '../../formats/moderation/openai-moderations/index.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { Envelope } from '../../formats/wire.ts';
import { DelegatedKey } from '../access/caller.ts';
import type { BatchedCall } from '../call/batched-call.ts';
import type { Calls } from '../call/call.ts';
import type { Inbound, Operation } from '../call/operation.ts';
import type { Outbound } from '../call/responder.ts';
import { type Operations, textOperationOf } from '../operations/index.ts';

/** The facts that a line is run with, besides its endpoint. */
export interface LineCall {
  readonly body: Uint8Array;
  /** SHA-256 of the key's secret, as the directory has it. */
  readonly secretHash: string;
  readonly batch: BatchedCall;
  /** Cuts the upstream off. */
  readonly signal: AbortSignal;
}

/** Runs a line as a request at its endpoint. */
export type RunLineCall = (call: LineCall) => Promise<Outbound>;

/** Runs lines of batches as ordinary calls. */
export class LineCalls {
  private readonly byEndpoint = new Map<string, RunLineCall>();

  /** @param origin the address for links in responses, such as `https://ai.example.com` */
  constructor(calls: Pick<Calls, 'run'>, operations: Operations, origin: string) {
    for (const format of clientFormats.values()) {
      for (const { path, call: callOf } of format.endpoints) {
        const call = callOf(path);
        if (call instanceof Failure) continue;
        this.byEndpoint.set(path, (line) => {
          const inbound = { ...inboundOf(line, format, origin), format, call };
          return calls.run(textOperationOf(operations, inbound), inbound);
        });
      }
    }
    const add = (path: string, name: string, run: (inbound: Inbound) => Promise<Outbound>) =>
      this.byEndpoint.set(path, (line) => run(inboundOf(line, { ...openaiChat, name }, origin)));
    const { embeddings, moderation, imageGenerations } = operations;
    const plain = (operation: Operation) => (inbound: Inbound) => calls.run(operation, inbound);
    add('/v1/embeddings', openaiEmbeddings.name, plain(embeddings));
    add('/v1/moderations', openaiModerations.name, plain(moderation));
    add('/v1/images/generations', 'openai-images', (inbound) => calls.run(imageGenerations, inbound));
  }

  /** Returns how lines of the endpoint are run; `null` if there are no batches for it. */
  at(endpoint: string): RunLineCall | null {
    return this.byEndpoint.get(endpoint) ?? null;
  }
}

function inboundOf({ body, secretHash, batch, signal }: LineCall, envelope: Envelope, origin: string): Inbound {
  return {
    ...{ envelope, batch, signal },
    secret: new DelegatedKey(secretHash),
    address: () => null,
    header: () => null,
    origin: () => origin,
    readBody: async () => body,
  };
}
