import type { ScriptedCall } from '../script.ts';

export type Form = 'whole' | 'stream';

export interface LoopCall {
  /** Scheme, host and port of the gateway. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  readonly form: Form;
  /** Whether the client requests reasoning output. Models may reason in any case. */
  readonly asks: boolean;
}

export interface ClientToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** A response as the client reads it. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ClientToolCall[];
}

/** The tool results, in the order of the calls. */
export type Results = readonly { readonly call: ClientToolCall; readonly found: ScriptedCall }[];

/** One conversation, stored by the client in its own format. */
export interface Session {
  ask(): Promise<Reply>;
  answer(results: Results): Promise<Reply>;
}

/** An official SDK, used in one of the ways in which people use it. */
export interface Client {
  readonly format: string;
  readonly style: string;
  /** Whether the client sends everything back. If it loses state of its own provider, that provider answers with a 400. */
  readonly keepsAll: boolean;
  readonly takesToolImages: boolean;
  /** Whether the format has arguments as text, which must come back as the model wrote them. */
  readonly argumentsAreText: boolean;
  readonly forms: readonly Form[];
  open(call: LoopCall): Session;
}
