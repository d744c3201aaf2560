import type { ScriptedCall } from '../script.ts';

export type Form = 'whole' | 'stream';

export interface LoopCall {
  /** Scheme, host and port of the gateway. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  readonly form: Form;
  /** Whether the client asks to see the model's thoughts; models may think all the same. */
  readonly asks: boolean;
}

export interface ClientToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** What a client reads of an answer. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ClientToolCall[];
}

/** What the tools found, in the order of the calls. */
export type Results = readonly { readonly call: ClientToolCall; readonly found: ScriptedCall }[];

/** One conversation, held by the client in its own format. */
export interface Session {
  ask(): Promise<Reply>;
  answer(results: Results): Promise<Reply>;
}

/** An official SDK, used in one of the ways in which people use it. */
export interface Client {
  readonly format: string;
  readonly style: string;
  /** Whether everything of an answer goes back; a client that loses state at its own provider gets that provider's 400. */
  readonly keepsAll: boolean;
  readonly takesToolImages: boolean;
  /** The format has arguments as text, and so must bring them back as the model wrote them. */
  readonly argumentsAreText: boolean;
  readonly forms: readonly Form[];
  open(call: LoopCall): Session;
}
